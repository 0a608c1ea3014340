package adopt

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/idemgen/idemgen/internal/oapi"
)

// oapiConfig is one run of oapi-codegen as the module has it: a configuration,
// or the flags of a go:generate line.
type oapiConfig struct {
	file    string // the configuration, or the Go file
	pkg     string
	output  string // relative to the module, empty for standard output
	server  string // std-http, chi, ...; empty for none
	models  bool
	strict  bool
	also    []string   // what it generates besides models and servers
	options *yaml.Node // those that idemgen's own run can have too; nil for none
	ignored []string   // those that it can't
}

// folder is where the generated package is.
func (c oapiConfig) folder() string { return path.Dir(c.output) }

// servers are oapi-codegen's, by the option that asks for them.
var servers = map[string]string{
	"std-http-server": "std-http", "chi-server": "chi", "echo-server": "echo", "echo5-server": "echo", "gin-server": "gin",
	"gorilla-server": "gorilla", "fiber-server": "fiber", "fiber-v3-server": "fiber", "iris-server": "iris",
	"std-http": "std-http", "server": "echo", "chi": "chi", "gin": "gin", "gorilla": "gorilla", "fiber": "fiber", "iris": "iris",
}

// parseOAPI reads a configuration of oapi-codegen. Its output is as written: place
// finds out what it is relative to.
func parseOAPI(name string, content []byte) (oapiConfig, bool) {
	c := oapiConfig{file: name}
	var top struct {
		Package  string          `yaml:"package"`
		Generate map[string]bool `yaml:"generate"`
		Output   string          `yaml:"output"`
	}
	var doc yaml.Node
	if yaml.Unmarshal(content, &doc) != nil || len(doc.Content) == 0 || doc.Decode(&top) != nil || top.Package == "" || top.Generate == nil {
		return c, false
	}
	c.pkg, c.output = top.Package, top.Output
	for option, on := range top.Generate {
		if on {
			c.generate(option)
		}
	}
	slices.Sort(c.also)
	c.options, c.ignored = passing(doc.Content[0], "")
	c.ignored = slices.DeleteFunc(c.ignored, func(option string) bool { return option == "package" || option == "generate" })
	return c, true
}

// passing copies the options of a mapping that pass through idemgen, nil for
// none, and names the others.
func passing(n *yaml.Node, group string) (options *yaml.Node, ignored []string) {
	options = &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := path.Join(group, key.Value)
		switch {
		case name == "output":
		case !oapi.Passes(strings.ReplaceAll(name, "/", ".")) || aliased(value):
			ignored = append(ignored, strings.ReplaceAll(name, "/", "."))
		case group == "" && value.Kind == yaml.MappingNode:
			inner, not := passing(value, name)
			ignored = append(ignored, not...)
			if inner != nil {
				options.Content = append(options.Content, key, inner)
			}
		default:
			options.Content = append(options.Content, key, value)
		}
	}
	if len(options.Content) == 0 {
		options = nil
	}
	return options, ignored
}

// aliased tells whether n means something only in its own file.
func aliased(n *yaml.Node) bool {
	return n.Kind == yaml.AliasNode || slices.ContainsFunc(n.Content, aliased)
}

func (c *oapiConfig) generate(option string) {
	server, isServer := servers[option]
	switch {
	case isServer:
		c.server = server
	case option == "models" || option == "types":
		c.models = true
	case option == "strict-server":
		c.strict = true
	case option != "" && !strings.HasPrefix(option, "skip-"): // -generate has options too
		c.also = append(c.also, option)
	}
}

var (
	oapiCommand = regexp.MustCompile(`\boapi-codegen(/v\d+/cmd/oapi-codegen)?(@\S+)?(\s|$)`)
	oapiFlag    = regexp.MustCompile(`\s--?(config|o|package|generate)[ =]("[^"]*"|\S+)`)
)

func oapiFlags(command string) map[string]string {
	flags := map[string]string{}
	for _, m := range oapiFlag.FindAllStringSubmatch(command, -1) {
		flags[m[1]] = strings.Trim(m[2], `"`)
	}
	return flags
}

// oapiRuns reads the go:generate lines that give oapi-codegen flags.
func oapiRuns(runs []goGenerate) (configs []oapiConfig) {
	for _, run := range runs {
		flags := oapiFlags(run.command)
		if !oapiCommand.MatchString(run.command) || flags["config"] != "" {
			continue
		}
		c := oapiConfig{file: run.file, pkg: flags["package"]}
		if flags["o"] != "" {
			c.output = path.Join(path.Dir(run.file), flags["o"])
		}
		for option := range strings.SplitSeq(flags["generate"], ",") {
			c.generate(option)
		}
		configs = append(configs, c)
	}
	return configs
}

// runOf is the go:generate line that uses a configuration.
func (f *found) runOf(c oapiConfig) (goGenerate, bool) {
	for _, run := range f.runs {
		if !oapiCommand.MatchString(run.command) {
			continue
		}
		config := oapiFlags(run.command)["config"]
		if run.file == c.file || config != "" && path.Join(path.Dir(run.file), config) == c.file {
			return run, true
		}
	}
	return goGenerate{}, false
}

// place finds where each configuration's output is, which is relative to the
// folder of its go:generate line. exists tells about files of the module.
func (f *found) place(exists func(string) bool) {
	for i, c := range f.oapi {
		if c.output == "" || path.Ext(c.file) == ".go" {
			continue
		}
		run, ok := f.runOf(c)
		switch beside := path.Join(path.Dir(c.file), c.output); {
		case ok:
			f.oapi[i].output = path.Join(path.Dir(run.file), c.output)
		case exists(path.Clean(c.output)) || !exists(beside):
			f.oapi[i].output = path.Clean(c.output) // run in the module's folder
		default:
			f.oapi[i].output = beside
		}
	}
}

// oapiSpec is the document that a go:generate line of oapi-codegen names last,
// one of specs, or empty.
func (f *found) oapiSpec() string {
	var named []string
	for _, run := range f.runs {
		words := strings.Fields(run.command)
		if !oapiCommand.MatchString(run.command) || len(words) == 0 {
			continue
		}
		spec := path.Join(path.Dir(run.file), strings.Trim(words[len(words)-1], `"`))
		if slices.Contains(f.specs, spec) && !slices.Contains(named, spec) {
			named = append(named, spec)
		}
	}
	if len(named) != 1 {
		return ""
	}
	return named[0]
}
