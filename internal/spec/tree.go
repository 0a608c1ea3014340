package spec

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Tree returns a file of the document as YAML nodes, fresh at each call and without
// aliases: what is changed at one place changes nowhere else. Comments and styles are
// those of the file, where it is YAML. The file is a key as Target gives it; "" is
// the document itself, with its overlays.
func (d *Document) Tree(file string) (*yaml.Node, error) {
	if file == "" || file == d.key {
		return d.Effective(), nil
	}
	src, _ := d.files.open(file)
	if src == nil || src.root == nil {
		return nil, fmt.Errorf("%s can't be read", d.files.name(file))
	}
	return src.root.YAML(), nil
}
