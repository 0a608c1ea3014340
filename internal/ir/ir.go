// Package ir is the model that templates see: plain data in which every name
// and every decision is final. It can be written as JSON.
package ir

// Service is all that is generated for one service. Paths are relative to the
// configuration's folder, with slashes.
type Service struct {
	// Runtime is the import path of the runtime.
	Runtime string
	// API is the package of oapi-codegen's output and of the handlers.
	API Package
	// Store is the package of sqlc's output and of the record store.
	Store Package
	// SQL is what the database gets.
	SQL SQL
	// Imports are the groups of imports of the API's idempotent file.
	Imports [][]Import
	// Operations are in the order of oapi-codegen's interfaces.
	Operations []Operation
}

// Package is a Go package that is generated.
type Package struct{ Dir, Name, ImportPath string }

// SQL names the records' table, and the file of the sqlc queries over it.
type SQL struct{ Table, Queries string }

// CleanupJob is a migration that schedules the cleanup in the database.
type CleanupJob struct {
	// Schedule is as pg_cron has it.
	Schedule string
	// Before was the schedule of the job for Table, or empty.
	Before, Table string
}

// Import is one import; Name is empty where the path tells it.
type Import struct{ Name, Path string }

// Operation is one method of the Handlers interface.
type Operation struct {
	// Method and Path are the operation's, as the document has them.
	Method, Path string
	// GoName is the method; RequestType and ResponseType are its types.
	GoName, RequestType, ResponseType string
	// Comment are the lines of the method's comment.
	Comment []string
	// HasTx says that the method gets a transaction. Result is what it returns.
	HasTx  bool
	Result string
	// Contract is nil for an operation that isn't idempotent.
	Contract *Contract
}

// Contract is an idempotent operation's contract, as Go expressions.
type Contract struct {
	// Var is the variable that holds it, Answer the type of what goes back.
	Var, Answer string
	// Params are those of the server method after the first two, as in
	// `, p1 PetId`; Args pass them on, as in `, p1`.
	Params, Args string
	// Fields are those of the runtime's Operation that aren't zero.
	Fields []Field
	// Write is nil for an operation whose handler gets a transaction.
	Write *Write
}

// Write is the one statement of an operation whose whole business write is a
// query.
type Write struct {
	// Type is the struct that the handler returns, Params the type of the
	// query's argument, empty if it has none.
	Type, Params string
	// Query names the query, with its package.
	Query string
	// Const is the constant that holds the statement, SQL its Go literal.
	Const, SQL string
	// Args are the query's parameters, as Go expressions.
	Args []string
	// Status and Media are those of the answer, Media as a Go literal.
	Status int
	Media  string
	// Key is the record table's primary key, as a Go literal.
	Key string
}

// Field is one field of a composite literal.
type Field struct{ Name, Value string }
