/**
 * Every fault of a hook, one row each: what it is, and its effect on the event. The tests cause the faults and
 * compare with the rows, word by word; docs/failures.md is printed from them.
 */
import {
  ALL,
  ALLOWED,
  always,
  by,
  failing,
  frame,
  PROCESSES,
  program,
  REFUSED,
  response,
  row,
  type Fault
} from './row.ts'

/** Files that the rows name are made by furnish.ts, in the folder of the project. */
const HERE = '${CLAUDE_PROJECT_DIR}'

const say = (text: string): string => `printf %s '${text}'`
const ALLOW = say('{"decision":"allow"}')
const DENY = say('{"decision":"deny","reason":"no"}')

const callback = row('FM1', ['callback'], 'hooks/dispatch/failures', 'faults/callbacks')
const slow = row('FM2', ['callback'], 'hooks/time/late-answers', 'faults/callbacks')
const exits = row('FM4', PROCESSES, 'faults/rows', 'faults/exit-codes')
const signals = row('FM5', PROCESSES, 'faults/rows', 'faults/process/signals')
const starts = row('FM6', PROCESSES, 'faults/rows', 'faults/process/starting')
const floods = row('FM12', PROCESSES, 'faults/rows', 'faults/process/floods')
const bytes = row('FM14', PROCESSES, 'faults/rows', 'faults/bytes')
const partial = row('FM15', PROCESSES, 'faults/rows', 'faults/partial')
const hostile = row('FM16', PROCESSES, 'faults/rows', 'faults/hostile-json')
const broken = row('FM18', PROCESSES, 'faults/rows', 'faults/exit-codes')

const gates = row('FM29', PROCESSES, 'faults/edited-gates')
const worker = (id: string, ...files: readonly string[]) =>
  row(id, ['worker'], 'faults/rows-of-others', ...files.map(file => `hooks/kinds/worker/${file}`))
const http = (id: string, ...files: readonly string[]) =>
  row(id, ['http'], 'faults/rows-of-others', ...files.map(file => `hooks/kinds/http/${file}`))

const nested = (depth: number): string =>
  `printf '{"a":'; printf '[%.0s' $(seq ${depth}); printf ']%.0s' $(seq ${depth}); printf '}'`

export const FAULTS: readonly Fault[] = [
  callback('it throws, or its promise is rejected', failing('threw')),
  callback('it returns an invalid reply', failing('reply')),
  slow('it never answers', failing('timeout'), { remark: 'an answer that comes later is dropped, and noted' }),

  exits('it ends with 0 and prints nothing', always('no opinion'), by('exit 0')),
  exits('it ends with 2, whatever it prints', REFUSED, by(`${ALLOW}; exit 2`)),
  exits('it ends with another code', failing('exit'), by('exit 3')),
  exits('it ends with another code and prints a refusal', REFUSED, by(`${DENY}; exit 3`)),

  signals('a signal ends it', failing('signal'), by('ulimit -c 0; kill -SEGV $$')),
  signals('a signal stops it', failing('timeout'), { by: { command: 'kill -STOP $$', timeout: 0.4 } }),
  signals('it gets a signal that does not end it', always('no opinion'), by('kill -WINCH $$')),

  starts('its program does not exist', failing('spawn'), program(`${HERE}/absent`)),
  starts('a shell does not find its program', failing('spawn'), by('./absent')),
  starts('its program may not be executed', failing('spawn'), program(`${HERE}/no-bit`)),
  starts('a shell may not execute its program', failing('spawn'), by('./no-bit')),
  starts('the interpreter in its first line does not exist', failing('spawn'), program(`${HERE}/no-interpreter`)),
  starts('the same through a shell', failing('spawn'), by('./no-interpreter')),
  starts('its first line asks `env` for a missing program', failing('spawn'), program(`${HERE}/no-such-env`)),
  starts('a shell is given a file that is not a program', failing('spawn'), by('./garbage')),
  starts('its program is a folder', failing('spawn'), program(HERE)),
  starts('a shell is given a folder', failing('spawn'), by('./folder')),
  starts('its command is too long', failing('spawn'), by(`: ${'x'.repeat(131_072)}`)),
  starts('its environment is too large', failing('spawn'), {
    by: { command: 'exit 0', env: { LARGE: 'x'.repeat(140 * 1024) } }
  }),
  starts('its command contains a NUL', failing('spawn'), by('exit 0 # \0')),
  starts(
    'an interpreter cannot open the script',
    { ...failing('spawn'), compat: 'refused', elsewhereInCompat: 'objected' },
    { ...by('sh ./absent'), remark: 'interpreters exit with 2 then, and compat takes that for a refusal' }
  ),
  row('FM6', PROCESSES, 'faults/process/descriptors')('this process has no descriptors left', failing('spawn')),

  worker('FM6', 'worker-deaths')('its program cannot be started', failing('spawn'), by('./absent')),

  row(
    'FM7',
    PROCESSES,
    'faults/rows',
    'faults/time'
  )('it takes longer than its timeout', failing('timeout'), {
    by: { command: 'sleep 60', timeout: 0.3 }
  }),
  worker('FM7', 'worker-silence')('it does not answer in time', failing('timeout'), {
    by: { command: 'sleep 60', timeout: 0.3 },
    remark: 'it keeps running; a later answer is dropped and counted'
  }),
  row('FM8', ALL, 'faults/time')('its timeout is invalid: 0, −1, NaN, 1e999, 2³¹, "5s"', always('error'), {
    remark: 'it is not registered, and nothing else changes'
  }),
  row(
    'FM9',
    PROCESSES,
    'faults/rows',
    'faults/process/kills'
  )('it ignores SIGTERM', failing('timeout'), {
    by: { command: "trap '' TERM; sleep 60", timeout: 0.3 },
    remark: 'SIGKILL follows two seconds later'
  }),
  row(
    'FM10',
    PROCESSES,
    'faults/rows',
    'faults/process/helpers-left'
  )('a process that it left behind holds its pipes', ALLOWED, {
    ...by(`sleep 2 & ${ALLOW}`),
    remark: 'its own answer counts; the process keeps running, and the report says so'
  }),
  row(
    'FM11',
    PROCESSES,
    'faults/rows',
    'faults/escapes'
  )('a process that it started tries to escape', failing('timeout'), {
    by: { command: 'setsid sleep 60 & sleep 60', timeout: 0.3 },
    remark:
      'all of it is ended, but for what left tree and group *and* emptied its environment; `pidNamespace` ends that'
  }),

  floods('it prints more than 1 MiB, on either stream', failing('output'), by('yes')),
  floods('the same on stderr', failing('output'), by('yes >&2')),
  worker('FM12', 'worker-frames')('it prints without end', failing('output'), {
    ...by('yes'),
    remark: 'it is ended, and started again as if it had died'
  }),
  row(
    'FM13',
    PROCESSES,
    'faults/rows',
    'faults/time'
  )('it prints a byte now and then, without an end', failing('timeout'), {
    by: { command: 'while :; do printf x; sleep 0.05; done', timeout: 0.4 }
  }),

  bytes('it prints what is not UTF-8', failing('output'), by(`printf '{"reason":"\\377"}'`)),
  bytes('it prints NULs', failing('output'), by(`printf '{}\\000'`)),
  bytes('it prints a byte order mark before its answer', ALLOWED, by(`printf '\\357\\273\\277'; ${ALLOW}`)),

  worker('FM14', 'worker-frames')('its answer is not UTF-8', failing('reply'), frame('"reply":{"reason":"\\377"}}')),
  http('FM14', 'http-limits')('its answer is not UTF-8', failing('output'), response('200 OK', '{"reason":"\xff"}')),

  partial('its answer breaks off', failing('reply'), by(say('{"decision":"al'))),
  partial('it prints two answers', failing('reply'), by(`${ALLOW}; ${ALLOW}`)),
  partial('there is text after its answer', failing('reply'), by(`${ALLOW}; echo done`)),
  partial(
    'there is text before its answer',
    {
      strict: 'closed: reply',
      compat: 'no opinion, marked',
      elsewhere: 'noted: reply',
      elsewhereInCompat: 'no opinion'
    },
    { ...by(`echo welcome; ${ALLOW}`), remark: 'compat takes it for text' }
  ),
  partial('it prints text without a decision', always('no opinion'), by('echo all is well')),

  worker('FM15', 'worker-frames')('its answer breaks off', failing('reply'), frame('"reply":{"decision":"al')),
  http('FM15', 'http-limits', 'http-trouble')(
    'its answer is not exactly one object',
    failing('reply'),
    response('200 OK', '{}{}')
  ),

  hostile('its answer is nested deeper than 64 levels', failing('reply'), by(nested(64))),
  hostile('its answer has more than 10,000 keys', failing('reply'), {
    ...by(`printf '{"a":0'; seq -f ',"k%.0f":0' 10000; printf '}'`)
  }),
  hostile('its answer has a key twice', failing('reply'), by(say('{"decision":"deny","decision":"allow"}'))),
  hostile('its answer has a key `__proto__`', failing('reply'), by(say('{"__proto__":{"decision":"allow"}}'))),

  worker('FM16', 'worker-frames')('the same in a line of it', failing('reply'), frame('"reply":{"a":1,"a":2}}')),
  http('FM16', 'http-limits')('the same in what it sends', failing('reply'), response('200 OK', '{"__proto__":1}')),

  row(
    'FM17',
    PROCESSES,
    'faults/rows',
    'faults/process/deaf-hooks'
  )('it does not read its input', ALLOWED, by(`exec <&-; ${ALLOW}`)),

  broken(
    'it prints an allow and ends with another code',
    { strict: 'closed: exit', compat: 'allowed, marked', elsewhere: 'noted: exit', elsewhereInCompat: 'no opinion' },
    { ...by(`${ALLOW}; exit 1`), remark: 'compat uses what was printed' }
  ),
  broken('it prints an allow, and a signal ends it', failing('signal'), by(`${ALLOW}; kill -KILL $$`)),
  broken('it prints an allow and does not end', failing('timeout'), {
    by: { command: `${ALLOW}; sleep 60`, timeout: 0.3 }
  }),
  broken('it prints a refusal, and a signal ends it', REFUSED, by(`${DENY}; kill -KILL $$`)),
  broken('it prints a refusal and does not end', failing('timeout'), {
    by: { command: `${DENY}; sleep 60`, timeout: 0.3 }
  }),

  row('FM19', PROCESSES, 'faults/process/storms')('it starts processes without end', failing('timeout'), {
    remark: 'all are ended; `limits` keeps their number small'
  }),
  row('FM19', PROCESSES, 'faults/process/storms')('it takes more memory than `limits` gives it', failing('exit')),

  http('FM20', 'http-trouble')('there is no connection, or it breaks', failing('http'), {
    server: { sends: 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{}' }
  }),
  http('FM20', 'http-trouble')('what it sends is not HTTP', failing('http'), { server: { sends: 'SSH-2.0\r\n' } }),
  http('FM21', 'http-trouble')('its status is not 2xx', failing('http'), response('500 Oh', '{"decision":"allow"}')),
  http('FM21', 'http-trouble')('it redirects', failing('http'), response('302 There', '', 'location: /there\r\n')),
  http('FM21', 'http-trouble')('it sends a page, or text', failing('http'), response('200 OK', '<html>')),
  http('FM21', 'http-trouble')('it sends nothing, with 2xx', always('no opinion'), response('204 Fine', '')),
  http('FM22', 'http-limits')('it begins an answer and does not end it', failing('timeout'), {
    server: { sends: 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{}', stays: true }
  }),
  http('FM22', 'http-limits')(
    'it sends more than 1 MiB, decompressed',
    failing('output'),
    response('200 OK', `{${' '.repeat(1024 * 1024)}}`)
  ),

  worker('FM23', 'worker-deaths')('it ends while it is asked', failing('worker'), {
    ...by('read -r event; exit 7'),
    remark: 'it is started again after a pause that grows from 0.1 s to 30 s'
  }),
  row('FM23', ['worker'], 'hooks/kinds/worker/worker-deaths')(
    'it ended eleven times in a row without answering',
    failing('worker'),
    {
      remark: 'it is not restarted until `restart()` is called'
    }
  ),
  worker('FM24', 'worker-frames')('it answers an unknown request', failing('timeout'), {
    by: { command: `read -r event; echo '{"id":99,"reply":{"decision":"allow"}}'; sleep 60`, timeout: 0.4 },
    remark: 'such a line is dropped, reported and counted; waiting events keep waiting'
  }),
  row('FM25', ['worker'], 'hooks/kinds/worker/worker-silence')('it is silent for 7 s', failing('worker'), {
    remark: 'it is replaced; `heartbeat` says how long'
  }),
  row(
    'FM26',
    ['worker', 'http'],
    'hooks/kinds/worker/worker-deaths',
    'hooks/kinds/worker/worker-silence',
    'hooks/kinds/http/http-connections'
  )('the server or worker cannot be reached', failing('timeout'), { remark: 'a request is never sent twice' }),

  row(
    'FM27',
    ALL,
    'hooks/dispatch/rewrites-together',
    'faults/rewrites'
  )(
    'two of them change the same part of an input',
    { ...always('the later in order wins'), elsewhere: '–' },
    { remark: 'regardless of speed; the outcome reports the conflict' }
  ),
  row(
    'FM28',
    ALL,
    'hooks/dispatch/rejudge',
    'faults/rewrites'
  )(
    'an input is changed after it was judged',
    { strict: 'judged again', compat: 'not judged again', elsewhere: '–' },
    { remark: 'the second judgement counts' }
  ),

  gates('its script is replaced by another', REFUSED, { remark: 'the next call is judged by the new one' }),
  gates('its script is deleted, or may not be read or executed any more', failing('spawn'))
]
