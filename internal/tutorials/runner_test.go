//go:build unix

package tutorials

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// stepTimeout bounds one block; the slowest ones build and test a service.
const stepTimeout = 4 * time.Minute

// step is a fenced block of a tutorial.
type step struct {
	line int    // of its fence
	info string // behind the fence
	path string // of the file that the text before it names, empty for none
	text string
}

var leadsToFile = regexp.MustCompile("`([^` ]+)`:$")

// parse reads the fenced blocks of a Markdown text.
func parse(markdown string) (steps []step, err error) {
	var open *step
	lead := ""
	for i, line := range strings.Split(markdown, "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case !fence && strings.HasPrefix(strings.TrimSpace(line), "```"):
			return nil, fmt.Errorf("line %d: an indented block isn't run", i+1)
		case fence && open == nil:
			open = &step{line: i + 1, info: info}
			if m := leadsToFile.FindStringSubmatch(lead); m != nil && !strings.HasPrefix(info, "sh") {
				open.path = m[1]
			}
		case fence:
			steps, open, lead = append(steps, *open), nil, ""
		case open != nil:
			open.text += line + "\n"
		case line != "":
			lead = line
		}
	}
	if open != nil {
		return nil, fmt.Errorf("line %d: the block has no end", open.line)
	}
	return steps, nil
}

// follow does what a tutorial says.
func follow(markdown string, sh *shell) error {
	steps, err := parse(markdown)
	if err != nil {
		return err
	}
	printed, ran := "", false
	for _, s := range steps {
		lang, option, _ := strings.Cut(s.info, " ")
		switch {
		case lang == "sh":
			printed, err = sh.run(s.text, option)
			ran = true
		case s.path != "" && lang == "diff":
			err = edit(filepath.Join(sh.dir, s.path), s.text)
		case s.path != "":
			err = write(filepath.Join(sh.dir, s.path), s.text)
		case ran:
			err = compare(s.text, printed)
			ran = false
		default:
			err = fmt.Errorf("the block is no command, no file and no output")
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", s.line, err)
		}
	}
	return nil
}

func write(name, content string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(content), 0o600)
}

// edit applies a diff without line numbers.
func edit(name, diff string) error {
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for _, hunk := range regexp.MustCompile(`(?m)^@@.*\n`).Split(diff, -1) {
		var before, after strings.Builder
		for _, line := range strings.SplitAfter(hunk, "\n") {
			switch {
			case strings.HasPrefix(line, "-"):
				before.WriteString(line[1:])
			case strings.HasPrefix(line, "+"):
				after.WriteString(line[1:])
			default:
				line = strings.TrimPrefix(line, " ")
				before.WriteString(line)
				after.WriteString(line)
			}
		}
		if n := strings.Count(string(content), before.String()); n != 1 {
			return fmt.Errorf("%s has these lines %d times:\n%s", name, n, before.String())
		}
		content = []byte(strings.Replace(string(content), before.String(), after.String(), 1))
	}
	return os.WriteFile(name, content, 0o600)
}

// compare says what is wrong if a command has printed something else.
func compare(want, got string) error {
	var pattern strings.Builder
	for line := range strings.Lines(want) {
		if line == "...\n" {
			pattern.WriteString(`(.*\n)*`)
			continue
		}
		for i, part := range strings.Split(line, "...") {
			if i > 0 {
				pattern.WriteString(".*")
			}
			pattern.WriteString(regexp.QuoteMeta(part))
		}
	}
	if !regexp.MustCompile(`\A` + pattern.String() + `\z`).MatchString(got) {
		return fmt.Errorf("printed:\n%s\nthe tutorial says:\n%s", got, want)
	}
	return nil
}

// shell is a bash that runs one block after the other.
type shell struct {
	dir   string // where it is
	temp  string // holds the blocks
	cmd   *exec.Cmd
	stdin io.WriteCloser
	out   *bufio.Reader
}

// mark is a line between the outputs of two blocks. What it is followed by is the
// exit code, the line that failed, and the folder.
const mark = "--- end of the block ---"

// start starts a bash in dir.
func start(dir, temp string, env []string) (*shell, error) {
	cmd := exec.Command("bash", "--norc")
	cmd.Dir, cmd.Env = dir, env
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = cmd.Stdout
	// What the tutorial starts in the background is of the same group.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	sh := &shell{dir: dir, temp: temp, cmd: cmd, stdin: stdin, out: bufio.NewReader(stdout)}
	_, err = fmt.Fprintf(stdin, "ended() { printf '\\n%s\\n%%d %%d %%s\\n' $1 ${line:-0} \"$PWD\"; }\n"+
		"trap 'line=$LINENO' ERR; trap 'ended $?' EXIT; set -e\n", mark)
	return sh, err
}

// run runs a block and returns what it printed.
func (sh *shell) run(block, option string) (string, error) {
	var want, code, line int
	if option != "" {
		if _, err := fmt.Sscanf(option, "exit=%d", &want); err != nil {
			return "", fmt.Errorf("%q is no option of sh", option)
		}
	}
	// A file, so that no command takes the rest of the block for its input.
	file := filepath.Join(sh.temp, "block.sh")
	if err := os.WriteFile(file, []byte(block), 0o600); err != nil {
		return "", err
	}
	source := fmt.Sprintf("source %q </dev/null; ended 0\n", file)
	if want != 0 {
		source = fmt.Sprintf("set +e; source %q </dev/null; code=$?; set -e; ended $code\n", file)
	}
	if _, err := io.WriteString(sh.stdin, source); err != nil {
		return "", err
	}
	defer time.AfterFunc(stepTimeout, sh.kill).Stop()
	printed, err := sh.read()
	if err != nil {
		return "", fmt.Errorf("the shell ended, or took over %s: %w; printed:\n%s", stepTimeout, err, printed)
	}
	end, err := sh.out.ReadString('\n')
	if err != nil {
		return "", err
	}
	if _, err := fmt.Sscanf(end, "%d %d", &code, &line); err != nil {
		return "", err
	}
	sh.dir = strings.SplitN(strings.TrimSuffix(end, "\n"), " ", 3)[2]
	if code != want {
		return "", fmt.Errorf("exit code %d at line %d of the block, want %d; printed:\n%s", code, line, want, printed)
	}
	return printed, nil
}

// read reads up to the mark.
func (sh *shell) read() (string, error) {
	var printed strings.Builder
	for {
		line, err := sh.out.ReadString('\n')
		if line == mark+"\n" {
			// The line end before the mark is ours, unless the output had none.
			text := strings.TrimSuffix(printed.String(), "\n")
			if text != "" && !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			return text, nil
		}
		printed.WriteString(strings.TrimRight(line, " \r\n"))
		if err != nil {
			return printed.String(), err
		}
		printed.WriteString("\n")
	}
}

// kill ends the shell, and what it started.
func (sh *shell) kill() { _ = syscall.Kill(-sh.cmd.Process.Pid, syscall.SIGKILL) }

// stop ends the shell and releases what it has.
func (sh *shell) stop() {
	sh.kill()
	_ = sh.cmd.Wait() // killed
}
