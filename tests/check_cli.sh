#!/bin/sh
# The command line as the contract has it: exit statuses, sentences, what goes to which stream, help, colours, pipes.
# tests/test_cli.c looks into the JSON documents.
. tests/checks.sh

program=$PWD/${BUILD:-build}/rowscope
out=$check_scratch/out
said=$check_scratch/said
here=$check_scratch/here
escape=$(printf '\033')
commands=$(sed -n 's/^SUBCOMMAND(\([a-z]*\),.*/\1/p' src/cli/subcommand.def)
mkdir "$here"

# calls STATUS ARGUMENT...: runs the program and says what is not as it must be.
calls() {
	wanted=$1
	shift
	"$program" "$@" >"$out" 2>"$said"
	judge $? "$wanted" "$*"
}

# judge STATUS WANTED CALL: a failure is one sentence on standard error and nothing on standard output.
judge() {
	[ "$1" -eq "$2" ] || echo "rowscope $3: status $1, not $2: $(head -n 1 "$said")"
	if [ "$1" -ge 2 ] && [ "$1" -le 4 ]; then
		[ "$(wc -l <"$said")" -eq 1 ] || echo "rowscope $3: said $(wc -l <"$said") lines"
		grep -q '^rowscope: ..' "$said" || echo "rowscope $3: said $(cat "$said")"
		[ ! -s "$out" ] || echo "rowscope $3: printed $(head -c 60 "$out")"
	fi
}

says() {
	grep -qF -- "$1" "$said" || echo "not \"$1\" but: $(cat "$said")"
}

prints() {
	grep -qF -- "$1" "$out" || echo "\"$1\" is not in what was printed: $(head -n 5 "$out")"
}

# Once for all: a small trace with everything in it.
trace=$here/trace
"$program" run three-requests 我今天 天 --new 3 --capture all --quiet -o "$trace" >"$here/text" || echo 'FAIL no trace was made'

# --- help ---

# narrow CALL: what was printed fits a terminal of 80 columns.
narrow() {
	wide=$(awk 'length($0) > 79' "$out" | head -n 1)
	[ -z "$wide" ] || echo "rowscope $1: too wide: $wide"
}

help_of_all() {
	calls 0 --help
	for name in $commands; do
		grep -q "^  $name " "$out" || echo "--help does not list $name"
	done
	narrow --help
	cp "$out" "$here/help"
	for name in $commands; do
		calls 0 "$name" --help
		head -n 1 "$out" | grep -q "^usage: rowscope $name " || echo "$name --help begins: $(head -n 1 "$out")"
		for option in json quiet color lang help version; do
			prints "--$option "
		done
		narrow "$name --help"
		cp "$out" "$here/own"
		calls 0 help "$name"
		cmp -s "$out" "$here/own" || echo "help $name is not $name --help"
		calls 0 "$name" --version
		grep -qx 'rowscope [0-9.]*' "$out" || echo "$name --version prints $(cat "$out")"
		calls 0 "$name" --help --lang zh
		cmp -s "$out" "$here/own" && echo "$name --help is not translated"
	done
	calls 0 </dev/null
	cmp -s "$out" "$here/help" || echo 'without a terminal and a command it is not the help'
}

# What is not in the help is wrong use.
what_is_not_there() {
	for name in run view ls show explain verify diff export lesson plan model tokenize script bench; do
		case " $(echo $commands) " in *" $name "*) continue ;; esac
		calls 2 "$name" "$trace"
	done
	for option in resume fork set durably; do
		"$program" run --help | grep -q -- "--$option " || calls 2 run glass a "--$option" 1
	done
}

# --- wrong use ---

wrong_use() {
	calls 2 lss "$trace"
	says 'did you mean ls?'
	calls 2 frobnicate
	says 'rowscope --help'
	calls 2 run --nwe 3 glass a
	says 'did you mean --new?'
	calls 2 ls --frobnicate "$trace"
	says '--help lists them'
	calls 2 ls -x "$trace"
	calls 2 run glass a --new
	says '--new needs a value'
	calls 2 run glass a --quiet=yes
	says 'takes no value'
	for number in 0 -1 x 1x '' ' 1' 1e3 4.0 99999999999999999999; do
		calls 2 run glass a --new "$number"
		says 'expected a whole number'
	done
	calls 2 ls --color sometimes "$trace"
	says 'auto, always or never'
	calls 2 ls --lang fr "$trace"
	says 'en or zh'
	calls 2 ls
	says 'rowscope ls TRACE'
	calls 2 ls "$trace" more
	says 'more: this is one word too many'
	calls 2 show "$trace"
	calls 2 explain "$trace"
	calls 2 model
	calls 2 tokenize glass
	calls 2 script
	calls 2 lesson check
	calls 2 export "$trace" logits
	says '--output'
	calls 2 export "$trace" logits -o "$here/file.frob"
	calls 2 show "$trace" logits --heat --json --quiet >/dev/null
	calls 2 run --batch docs/faults/batch-norm.json glass
	calls 2 run glass --tokens x
	calls 2 run glass --tokens ''
	calls 2 run glass a --layout up
	calls 2 run glass a --fault no-such-bug
	calls 2 run glass a --kernels no-such-set
}

# No option is taken and then forgotten: the batch of a model obeys it, and a recorded trace refuses it.
options_count() {
	for option in "--layout packed" "--new 1" "--temperature 1" "--fault shared-cache-slot" "--max-rows 1"; do
		# shellcheck disable=SC2086
		calls 2 view "$trace" --plain $option
		says "${option%% *}: "
		# shellcheck disable=SC2086
		calls 2 verify "$trace" $option
	done
	calls 0 view three-requests --plain
	cp "$out" "$here/own"
	calls 0 view three-requests --plain --new 1
	cmp -s "$out" "$here/own" && echo 'view three-requests --new 1 is the same as without'
	prints '我今天'
	calls 0 view "$trace" -m three-requests --plain
}

# Lines stand below one another, and what is cut is said.
legible() {
	calls 0 run tiny-stories Once --new 11
	prints 'pass  9  decode   tokens (1,1)'
	prints 'pass 10  decode   tokens (1,1)'
	set --
	for row in 1 2 3 4 5 6 7 8 9 10; do
		set -- "$@" --tokens "$row"
	done
	calls 0 run glass "$@" --new 1
	prints '… 2 more rows'
	[ "$(grep -c '|' "$out")" -eq 10 ] || echo 'run does not print every row'
	for name in $commands; do
		calls 0 "$name" --help
		sed -n '/^Options:/,/^$/s/^ *\(-[a-z], \)\{0,1\}--[a-z-]*\( [A-Z][^a-z ]*\)\{0,1\}  */&@/p' "$out" | sed 's/@.*//' | awk '
			{ widths[length($0)] = 1 } END { for (w in widths) n++; if (n > 1) print "columns are ragged" }'
	done
	calls 0 show "$trace" logits
	says '--all'
	says "'logits[vocab=3]'"
	calls 0 show "$trace" logits --all
	[ ! -s "$said" ] || echo "show --all says $(cat "$said")"
	calls 0 ls "$trace" --pass 1
	prints 'those of pass 1'
	calls 3 run no-such-model a
	says 'glass, three-requests, tiny-llama, tiny-stories'
	calls 0 lesson check 11
	calls 2 lesson check 99
}

# A picture for a slide says which part it is, what the axes are, and what the colours mean.
heat_maps() {
	calls 0 show "$trace" 'pass=1 layers.0.attn.weights[row=B,head=1:3]' --heat
	prints 'layers.0.attn.weights[row=B,head=1:3]  (N=2, S=1, K=4)  F32'
	prints 'head pos key 0 to 3'
	grep -q '^0  *[ .:=+*#%@-]*@@ 0\.[0-9]*  scale of the whole tensor$' "$out" || echo "no scale: $(tail -n 1 "$out")"
	calls 0 show "$trace" 'pass=1 layers.0.attn.norm' --heat
	grep -q '^-\([0-9.]*\) [ .:=+*#%@-]*+@ \1  scale' "$out" || echo "no signed scale: $(tail -n 2 "$out")"
	prints '40 of 48 columns are shown'
	calls 0 show "$trace" 'pass=1 layers.0.attn.norm' --heat --all
	prints 'unit 0 to 47'
	! grep -q 'are shown' "$out" || echo '--all leaves something out'
	calls 0 show "$trace" 'pass=1 next_tokens[row=B]'
	prints 'pass=1 next_tokens[row=B]  ()  I32'
}

selectors() {
	calls 0 show "$trace" pass=1 tokens
	cp "$out" "$here/one"
	calls 0 show "$trace" 'pass=1 tokens'
	cmp -s "$out" "$here/one" || echo 'words are not joined by a space'
	calls 0 show "$trace" 'logits[row=B,vocab=-1]'
	calls 0 show "$trace" 'weights.embed.token.weight[100]'
	calls 2 show "$trace" no.such.tensor
	calls 2 show "$trace" logist
	says 'logits'
	calls 2 show "$trace" 'tokens[2]'
	says 'tokens[2]'
	calls 2 show "$trace" 'tokens[row=Z]'
	calls 2 show "$trace" 'pass=9 tokens'
	says 'passes 0 to 2'
	calls 2 show "$trace" 'tokens['
	calls 2 show "$trace" 'weights.no.such'
	calls 2 explain "$trace" logits
	calls 0 explain "$trace" 'logits[0,520]'
	prints 'the same bits'
}

# --- options before the command ---

options_before() {
	calls 0 --lang zh ls "$trace"
	cp "$out" "$here/one"
	calls 0 ls "$trace" --lang zh
	cmp -s "$out" "$here/one" || echo '--lang before and behind the command differ'
	calls 0 --json ls "$trace"
	grep -q '^{' "$out" || echo '--json before the command is no JSON'
	calls 0 --color always --quiet --lang=en ls "$trace"
	calls 0 --lang zh --version
	calls 0 --lang zh --help
	cmp -s "$out" "$here/help" && echo '--lang zh --help is not translated'
	calls 0 --lang zh help run
	calls 2 --frobnicate ls "$trace"
	says --frobnicate
	calls 2 --new 3 run glass a
	says 'name the command first'
	calls 2 --new
	says 'name the command first'
	calls 2 --lang
}

# --- what is not there, and what is bad ---

bad_inputs() {
	for command in verify view; do
		calls 3 "$command" no/such/folder </dev/null
		says 'neither a trace nor a model'
		calls 3 "$command" nosuchmodel </dev/null
		calls 3 "$command" "$here" </dev/null
		says 'trace.json'
	done
	calls 3 ls no/such/folder
	says 'no/such/folder'
	calls 3 ls "$here"
	calls 3 show "$here/text" logits
	calls 3 run no/such/model a
	says 'no/such/model'
	calls 3 run nosuchmodel a
	calls 3 model nosuchmodel
	calls 3 tokenize no/such/model a
	calls 3 script no/such/script
	calls 2 lesson nosuchlesson
	calls 3 lesson check no/such/lesson.md
	calls 3 run --batch no/such/batch.json
	printf '{"model":"glass","rows":[{"prompt":"a"},{"promt":"b"}]}' >"$here/batch.json"
	calls 3 run --batch "$here/batch.json"
	says 'rows[1]'
	printf '{"model":' >"$here/batch.json"
	calls 3 run --batch "$here/batch.json"
	calls 2 run glass --tokens 99
	cp -R "$trace" "$here/broken"
	printf 'x' >"$here/broken/trace.json"
	for command in ls verify view; do
		calls 3 "$command" "$here/broken" </dev/null
	done
	rm -rf "$here/broken"
}

# The same failures with --json: one document on standard output, nothing on standard error.
json_errors() {
	for call in '2 usage ls' '2 usage lss' '3 input ls no/such' '3 input verify no/such' '2 usage run glass a --new x' \
		'3 input run nosuch a' "2 usage show $trace nosuch"; do
		# shellcheck disable=SC2086
		set -- $call
		status=$1 kind=$2
		shift 2
		"$program" --json "$@" >"$out" 2>"$said" </dev/null
		[ $? -eq "$status" ] || echo "rowscope $*: not status $status with --json"
		[ ! -s "$said" ] || echo "rowscope $*: said $(cat "$said") with --json"
		prints "{\"error\":{\"kind\":\"$kind\",\"message\":\""
	done
}

# --- the system refuses ---

full_disk() {
	[ -c /dev/full ] || return 0
	printf 'open three-requests\nshape tokens\n' >"$here/answers"
	for call in --help --version 'run --help' "run glass --tokens 5" "run glass --tokens 5 --json" "ls $trace" \
		"ls $trace --json" "show $trace tokens" "show $trace tokens --json" "show $trace tokens --csv" \
		"explain $trace logits[0,1]" "explain $trace logits[0,1] --json" "verify $trace" "verify $trace --json" \
		"model glass" "model glass --weights" "model glass --json" "tokenize three-requests 很" "lesson list" \
		"lesson check 11-three-requests" "lesson 11-three-requests --plain" "view $trace" "view $trace --json" \
		"script $here/answers" "bench --shape 16,1,1,16,32 --quick --decode 1 --prefill 8 --batch-sizes 1 --threads 1" \
		"export $trace tokens -o $here/full.csv --force --json"; do
		# shellcheck disable=SC2086
		"$program" $call >/dev/full 2>"$said" </dev/null
		status=$?
		: >"$out"
		judge $status 4 "$call >/dev/full"
	done
	rm -f "$here/full.csv"
}

no_temporary() {
	TMPDIR=$here/nowhere "$program" verify glass --tokens 5 --new 1 >"$out" 2>"$said"
	judge $? 4 'verify without a folder for temporary files'
	says TMPDIR
}

# --- standard input ---

prompts_by_pipe() {
	printf '我今天\n\n天\n' | "$program" run three-requests --new 3 >"$out"
	cmp -s "$out" "$here/text" || echo 'prompts by a pipe give another text'
	printf '我今天\n天' | "$program" run three-requests - --new 3 >"$out"
	cmp -s "$out" "$here/text" || echo 'prompts by - give another text'
	printf '我今天\r\n天\r\n' | "$program" run three-requests - --new 3 >"$out"
	cmp -s "$out" "$here/text" || echo 'carriage returns are taken for text'
	printf '我今天\n' | "$program" run three-requests 天 --new 3 >"$out"
	grep -q '^A  天' "$out" || echo 'a prompt that was given is not taken before the pipe'
	printf '\n\n' | "$program" run glass >"$out" 2>"$said"
	judge $? 2 'run glass without prompts'
	says '--tokens'
	printf 'a\000b\n' | "$program" run tiny-stories - --new 1 >"$out" 2>"$said"
	judge $? 2 'run with a NUL in a prompt'
	printf 'open three-requests\nshape tokens\n' | "$program" script - >"$out" 2>"$said" || echo 'a script by - fails'
	prints '('
}

# --- streams, colours, quiet ---

streams() {
	calls 0 export "$trace" tokens -o "$here/tokens.csv"
	says wrote
	[ ! -s "$out" ] || echo 'export prints to standard output'
	calls 0 export "$trace" tokens -o "$here/tokens.csv" --force --quiet
	[ ! -s "$said" ] || echo "--quiet says $(cat "$said")"
	for call in "ls $trace" "show $trace tokens" "show $trace tokens --heat" "explain $trace logits[0,1]" "model glass" \
		"view $trace" "lesson list" "run glass --tokens 5 --new 1" "verify $trace"; do
		# shellcheck disable=SC2086
		calls 0 $call </dev/null
		[ ! -s "$said" ] || echo "rowscope $call says $(head -n 1 "$said")"
		! grep -q "$escape" "$out" || echo "rowscope $call puts colours into a file"
	done
	calls 0 --color always show "$trace" logits --heat
	grep -q "$escape\\[" "$out" || echo '--color always gives no colours'
	calls 0 --color never show "$trace" logits --heat
	! grep -q "$escape" "$out" || echo '--color never gives colours'
	TERM=dumb "$program" view "$trace" >"$out" </dev/null || echo 'view fails where TERM is dumb'
	prints 'passes and rows'
}

# On a terminal of its own, where util-linux's script can make one.
terminal() {
	script --version 2>/dev/null | grep -q util-linux || return 0
	# shellcheck disable=SC2089
	call="'$program' show '$trace' logits --heat"
	TERM=xterm-256color script -qec "$call" /dev/null </dev/null >"$out"
	grep -q "$escape\\[" "$out" || echo 'no colours on a terminal'
	NO_COLOR=1 TERM=xterm-256color script -qec "$call" /dev/null </dev/null >"$out"
	! grep -q "$escape\\[[0-9;]*m" "$out" || echo 'NO_COLOR gives colours'
	TERM=dumb script -qec "$call" /dev/null </dev/null >"$out"
	! grep -q "$escape" "$out" || echo 'colours where TERM is dumb'
	script -qec "'$program' run glass" /dev/null >"$out"
	status=$?
	[ $status -eq 2 ] || echo "run MODEL without a prompt on a terminal: status $status"
	prints 'as in  rowscope run tiny-stories'
}

# --- files that are there ---

nothing_overwritten() {
	before=$(cat "$trace"/* | cksum)
	calls 2 run glass a --tokens 5 --new 1 -o "$trace"
	says --force
	calls 2 export "$trace" tokens -o "$trace/trace.json" --format json
	says --force
	[ "$before" = "$(cat "$trace"/* | cksum)" ] || echo 'the trace was changed'
	: >"$here/file"
	"$program" run glass --tokens 5 --new 1 -o "$here/file" >"$out" 2>"$said"
	status=$?
	[ $status -ge 2 ] && [ $status -le 4 ] || echo "run -o on a file: status $status"
	[ ! -s "$here/file" ] || echo 'the file was written to'
	"$program" run glass --tokens 5 --new 1 -o "$here/no/such/place" >"$out" 2>"$said"
	status=$?
	[ $status -ge 2 ] && [ $status -le 4 ] || echo "run -o in a missing folder: status $status"
	mkdir "$here/filled"
	echo kept >"$here/filled/mine.txt"
	"$program" run glass --tokens 5 --new 1 -o "$here/filled" --force >"$out" 2>"$said" &&
		echo 'a folder that is no trace was replaced'
	[ "$(cat "$here/filled/mine.txt")" = kept ] || echo 'a foreign file is gone'
	calls 0 run glass --tokens 5 --new 1 -o "$here/again"
	calls 0 run glass --tokens 6 --new 1 -o "$here/again" --force
	calls 0 show "$here/again" 'pass=0 tokens' --json
	prints '[[6]]'
	rm -rf "$here/again" "$here/filled" "$here/file"
}

# --- ends before the end ---

# stopped SIGNAL: a long run, ended after some passes: they are all there.
stopped() {
	rm -rf "$here/long"
	"$program" run tiny-stories 'Once upon a time' 'The little dog' --new 250 --kernels scalar --threads 1 --capture all \
		-o "$here/long" >"$out" 2>"$said" &
	process=$!
	tries=0
	while [ "$(wc -l 2>/dev/null <"$here/long/passes.jsonl" || echo 0)" -lt 3 ] && [ $tries -lt 3000 ]; do
		tries=$((tries + 1))
	done
	kill "-$1" $process
	wait $process 2>/dev/null
	status=$?
	passes=$(wc -l <"$here/long/passes.jsonl")
	[ "$passes" -ge 3 ] && [ "$passes" -lt 250 ] || echo "$passes passes are there"
	calls 0 ls "$here/long"
	[ "$(grep -c 'decode ' "$out")" -eq $((passes - 1)) ] || echo "ls does not list $passes passes"
	calls 0 show "$here/long" "pass=$((passes - 1)) logits" --json
}

killed() {
	stopped KILL
}

interrupted() {
	stopped TERM
	[ $status -eq 130 ] || echo "a run that was asked to end has status $status"
}

# A process that was killed leaves its temporary folder; the next takes it away, but nothing else.
left_behind() {
	base=$here/tmp
	mkdir -p "$base/rowscope-live-999999999-abcdef" "$base/rowscope-live-1-abcdef" "$base/rowscope-live-999999998-abcdef" \
		"$base/rowscope-backup" "$base/rowscope-live-999999999-mine"
	echo x >"$base/rowscope-live-999999999-abcdef/trace.json"
	touch -t 202001010000 "$base/rowscope-live-999999999-abcdef" "$base/rowscope-live-1-abcdef" "$base/rowscope-backup" \
		"$base/rowscope-live-999999999-mine"
	TMPDIR=$base "$program" verify glass --tokens 5 --new 1 >"$out" 2>"$said" || echo 'verify fails'
	left=$(cd "$base" && echo *)
	[ "$left" = 'rowscope-backup rowscope-live-1-abcdef rowscope-live-999999998-abcdef rowscope-live-999999999-mine' ] ||
		echo "what is left: $left"
	rm -rf "$base"
}

# --- foreign text ---

# tame CALL: nothing that a terminal obeys was printed or said.
tame() {
	for file in "$out" "$said"; do
		wild=$(LC_ALL=C tr -d '\n\040-\176\200-\377' <"$file" | wc -c)
		[ "$wild" -eq 0 ] || echo "rowscope $1: $wild control characters"
		! LC_ALL=C grep -q "$(printf '\342\200\256')" "$file" || echo "rowscope $1: U+202E is printed"
	done
}

hostile='{"model":"tiny-stories","rows":[{"id":"\u001b[31mA","prompt":"Once \u001b]0;x\u0007 upon\r\n\u202e","max_new_tokens":2},
	{"id":"=1+1\t\n","prompt":"\u0000\u009b31m","max_new_tokens":2}]}'

foreign_text() {
	printf '%s' "$hostile" >"$here/hostile.json"
	rm -rf "$here/hostile"
	calls 0 run --batch "$here/hostile.json" -o "$here/hostile" --capture all
	tame run
	prints '\x1b[31mA'
	for call in "ls $here/hostile" "show $here/hostile logits" "show $here/hostile logits[row=0] --heat" "show $here/hostile logits[row=0]" "view $here/hostile" \
		"show $here/hostile pass=0 layers.0.attn.weights[head=0] --heat" "explain $here/hostile logits[0,1]" \
		"verify $here/hostile" "verify --batch $here/hostile.json --fault padding-attended" "script $here/wild" \
		"export $here/hostile logits -o $here/hostile.svg --force" "export $here/hostile -o $here/x.txt --view timeline --force"; do
		printf 'open %s\ntext tokens[0,2]\nwhere\n' "$here/hostile" >"$here/wild"
		# shellcheck disable=SC2086
		"$program" $call >"$out" 2>"$said" </dev/null
		[ $? -le 1 ] || echo "rowscope $call: $(cat "$said")"
		tame "$call"
	done
	cp "$here/x.txt" "$out"
	tame 'export --view timeline'
	calls 0 show "$here/hostile" tokens --csv
	grep -q "$escape" "$out" || echo 'show --csv does not keep the bytes in a file'
	if script --version 2>/dev/null | grep -q util-linux; then
		script -qec "'$program' show '$here/hostile' tokens --csv" /dev/null </dev/null >"$out"
		! grep -q "$escape" "$out" || echo 'show --csv prints an escape to a terminal'
		prints '\x1b[31mA'
	fi
	calls 0 tokenize tiny-stories "$(printf 'a\033[31m\302\233\342\200\256b')"
	tame tokenize
	calls 2 tokenize tiny-stories "$(printf 'a\377\033b')"
	tame 'tokenize of what is no UTF-8'
	wild=$(printf '\033[31m\342\200\256\n\rx')
	calls 2 "$wild"
	tame 'a command'
	calls 2 "--$wild" ls
	tame 'an option'
	calls 3 ls "$wild"
	tame 'a trace'
	calls 3 run "$wild" a
	tame 'a model'
	calls 2 show "$trace" "$wild"
	tame 'a selector'
	calls 2 run glass a --new "$wild"
	tame 'a number'
	calls 2 run glass a --fault "$wild"
	tame 'a fault'
	calls 2 --color "$wild" ls "$trace"
	tame 'a value'
	calls 2 lesson "$wild"
	tame 'a lesson'
	printf '%s\n' "$wild" | "$program" script - >"$out" 2>"$said"
	tame 'a script'
}

# --- where it is started ---

anywhere() {
	(cd / && "$program" run three-requests 我今天 天 --new 3) >"$out"
	cmp -s "$out" "$here/text" || echo 'it does not find its models from another folder'
	(cd "$here" && "$program" ls trace) >"$out" || echo 'a path is not taken from where it was started'
}

clean 'every command has its help' help_of_all .
clean 'what is not there is wrong use' what_is_not_there .
clean 'wrong use is told in one sentence' wrong_use .
clean 'selectors are read, or refused' selectors .
clean 'an option is obeyed or refused' options_count .
clean 'what is printed can be read' legible .
clean 'a heat map says what it shows' heat_maps .
clean 'options may stand before the command' options_before .
clean 'what is bad or missing is told in one sentence' bad_inputs .
clean 'an error is a document with --json' json_errors .
clean 'a full disk is told' full_disk .
clean 'a missing temporary folder is told' no_temporary .
clean 'prompts come by a pipe' prompts_by_pipe .
clean 'results and messages go their ways' streams .
clean 'a terminal gets colours unless NO_COLOR' terminal .
clean 'nothing is overwritten unless asked' nothing_overwritten .
clean 'a killed run keeps its passes' killed .
clean 'an interrupted run ends at a pass' interrupted .
clean 'what a crash left behind is taken away' left_behind .
clean 'foreign text is tamed' foreign_text .
clean 'it runs from any folder' anywhere .

# The checks can fail: a program that prints where it should say, with the wrong status.
mkdir -p "$check_scratch/tree"
printf '#!/bin/sh\necho wrong\nexit 2\n' >"$here/wrong"
chmod +x "$here/wrong"
program=$here/wrong
refused 'an error on standard output' bad_inputs 'printed wrong'
refused 'a wrong status' bad_inputs 'status 2, not 3'
