package config

import "strings"

// reservedWords are those that PostgreSQL 17 (appendix C) doesn't take as a table
// name without quotes.
const reservedWords = ` all analyse analyze and any array as asc asymmetric authorization binary both
 case cast check collate collation column concurrently constraint create cross current_catalog
 current_date current_role current_schema current_time current_timestamp current_user default
 deferrable desc distinct do else end except false fetch for foreign freeze from full grant group
 having ilike in initially inner intersect into is isnull join lateral leading left like limit
 localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing
 primary references returning right select session_user similar some symmetric system_user table
 tablesample then to trailing true union unique user using variadic verbose when where window with `

// Reserved tells whether PostgreSQL takes the lower-case word as a name only in
// quotes.
func Reserved(word string) bool {
	for w := range strings.FieldsSeq(reservedWords) {
		if w == word {
			return true
		}
	}
	return false
}
