package adopt

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
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
	ignored []string // options that idemgen's own run doesn't have
}

// folder is where the generated package is.
func (c oapiConfig) folder() string { return path.Dir(c.output) }

// servers are oapi-codegen's, by the option that asks for them.
var servers = map[string]string{
	"std-http-server": "std-http", "chi-server": "chi", "echo-server": "echo", "echo5-server": "echo", "gin-server": "gin",
	"gorilla-server": "gorilla", "fiber-server": "fiber", "fiber-v3-server": "fiber", "iris-server": "iris",
	"std-http": "std-http", "server": "echo", "chi": "chi", "gin": "gin", "gorilla": "gorilla", "fiber": "fiber", "iris": "iris",
}

// parseOAPI reads a configuration of oapi-codegen. Its output is relative to the
// folder in which oapi-codegen is run, for which its own stands until a
// go:generate line says otherwise.
func parseOAPI(name string, content []byte) (oapiConfig, bool) {
	var top map[string]yaml.Node
	if yaml.Unmarshal(content, &top) != nil {
		return oapiConfig{}, false
	}
	c := oapiConfig{file: name}
	var generate map[string]bool
	pkg, hasPackage := top["package"]
	wanted, hasGenerate := top["generate"]
	if !hasPackage || !hasGenerate || pkg.Decode(&c.pkg) != nil || wanted.Decode(&generate) != nil {
		return oapiConfig{}, false
	}
	if output, ok := top["output"]; ok && output.Decode(&c.output) != nil {
		return oapiConfig{}, false
	}
	for option, on := range generate {
		if on {
			c.generate(option)
		}
	}
	for option := range top {
		if !slices.Contains([]string{"package", "generate", "output"}, option) {
			c.ignored = append(c.ignored, option)
		}
	}
	slices.Sort(c.ignored)
	return c, true
}

func (c *oapiConfig) generate(option string) {
	if server, ok := servers[option]; ok {
		c.server = server
	}
	c.models = c.models || option == "models" || option == "types"
	c.strict = c.strict || option == "strict-server"
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
