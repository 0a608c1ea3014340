package spec

// Files returns the document and the local files that its $refs name, as read, by
// their slash paths relative to the document's folder.
func (d *Document) Files() map[string][]byte {
	d.files.mu.Lock()
	defer d.files.mu.Unlock()
	list := make(map[string][]byte, len(d.files.byKey))
	for key, o := range d.files.byKey {
		if o.src != nil {
			list[key] = o.src.data
		}
	}
	return list
}
