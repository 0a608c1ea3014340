package enrich

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/spec"
)

// maxHops bounds chains of $refs; the spec has been checked to have shorter ones.
const maxHops = 100

// place is a node of the spec and the file that it stands in.
type place struct {
	file string
	node *yaml.Node
}

// follow goes to what a node that may be a $ref stands for.
func (e *enricher) follow(p place) place {
	for range maxHops {
		ref := get(p.node, "$ref")
		if ref == nil || ref.Kind != yaml.ScalarNode {
			break
		}
		next, ok := e.at(e.doc.Target(p.file, ref.Value))
		if !ok {
			break
		}
		p = next
	}
	return p
}

// at goes to where a JSON pointer leads in a file, through the $refs on its way.
func (e *enricher) at(file, pointer string) (place, bool) {
	if e.source[file] == nil {
		tree, err := e.doc.Tree(file)
		if err != nil {
			e.fail(err)
			return place{}, false
		}
		e.source[file] = tree.Content[0]
	}
	p := e.walk(place{file, e.source[file]}, pointer)
	return p, p.node != nil
}

// walk returns no node if the pointer leads nowhere.
func (e *enricher) walk(p place, pointer string) place {
	if pointer == "" {
		return p
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		next := step(p.node, token)
		if next == nil {
			p = e.follow(p)
			next = step(p.node, token)
		}
		if next == nil {
			return place{}
		}
		p.node = next
	}
	return p
}

func step(n *yaml.Node, token string) *yaml.Node {
	if n != nil && n.Kind == yaml.SequenceNode {
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i]
		}
		return nil
	}
	return get(n, token)
}

// resolved is a copy of what a node of the document stands for, which can be
// changed without changing it for others.
func (e *enricher) resolved(n *yaml.Node, object string) *yaml.Node {
	p := e.follow(place{"", n})
	out := copied(p.node)
	if e.doc.IsRoot(p.file) {
		return out
	}
	// In another file, a reference means something else.
	spec.EachRef(out, object, func(ref *yaml.Node) {
		if isRemote(ref.Value) {
			return
		}
		file, _ := e.doc.Target(p.file, ref.Value)
		ref.Value = reference(file, ref.Value)
		if e.doc.IsRoot(file) {
			ref.Value = "#" + fragment(ref.Value)
		}
	})
	return out
}

// relocate makes the document's references hold in the folder that base leads back
// from.
func (e *enricher) relocate(base string) {
	spec.EachRef(e.root, "document", func(ref *yaml.Node) {
		if strings.HasPrefix(ref.Value, "#") || isRemote(ref.Value) {
			return
		}
		file, _ := e.doc.Target("", ref.Value)
		if e.doc.IsRoot(file) {
			ref.Value = "#" + fragment(ref.Value)
			return
		}
		ref.Value = reference(path.Join(base, file), ref.Value)
	})
}

// reference is a reference to a file, with the fragment of the one before.
func reference(file, before string) string {
	ref := (&url.URL{Path: file}).String()
	if f := fragment(before); f != "" {
		ref += "#" + f
	}
	return ref
}

func fragment(ref string) string {
	_, after, _ := strings.Cut(ref, "#")
	return after
}

// isRemote tells references that no file is behind; only those that aren't $refs
// can be.
func isRemote(ref string) bool {
	u, err := url.Parse(ref)
	return err != nil || u.Scheme != "" || u.Host != ""
}

func (e *enricher) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}
