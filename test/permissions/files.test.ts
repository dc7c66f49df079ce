/** Rules about files: where their paths begin, and what they cover. */
import * as fc from '../support/fast-check.ts'
import { describe, expect, test } from 'vitest'
import { namesOf, pathGlob } from '../../src/lib/util/path-glob.ts'
import { allow, bash, decided, deny, HOME, other, read, ROOT, write } from './permission-kit.ts'

// R12
describe('where the path of a rule begins', () => {
  test.each([
    ['//etc/**', '/etc/passwd', true],
    ['//etc/**', `${ROOT}/etc/passwd`, false],
    ['~/notes/**', `${HOME}/notes/a`, true],
    ['~/notes/**', `${ROOT}/notes/a`, false],
    ['/src/**', `${ROOT}/src/a/b.ts`, true],
    ['./src/**', `${ROOT}/src/a.ts`, true],
    ['src/**', `${ROOT}/src/a.ts`, true],
    ['src/**', `${ROOT}/other/src/a.ts`, false],
    ['**/src/**', `${ROOT}/other/src/a.ts`, true],
    ['*.ts', `${ROOT}/deep/in/a.ts`, true],
    ['*.ts', `${ROOT}/deep/in/a.js`, false],
    ['package.json', `${ROOT}/a/package.json`, true],
    ['./package.json', `${ROOT}/a/package.json`, false],
    ['src/*.ts', `${ROOT}/src/a.ts`, true],
    ['src/*.ts', `${ROOT}/src/deep/a.ts`, false],
    ['src/', `${ROOT}/src/deep/a.ts`, true],
    ['./src', `${ROOT}/src/deep/a.ts`, true],
    ['src/**/test/?[a-c].{ts,js}', `${ROOT}/src/x/y/test/1b.js`, true],
    ['src/**/test/?[a-c].{ts,js}', `${ROOT}/src/test/1d.js`, false],
    ['src/**/test/?[!a-c].ts', `${ROOT}/src/test/1d.ts`, true],
    ['src/\\*', `${ROOT}/src/*`, true],
    ['src/\\*', `${ROOT}/src/a`, false],
    ['src/**', `${ROOT}/src/.hidden`, true],
    ['../ws2/**', `${HOME}/ws2/a`, true],
    // R13
    ['./**', `${ROOT}/../other/a`, false],
    ['src/**', `${ROOT}/x/../src/a`, true]
  ])('Read(%s) and %s: %s', (specifier, path, fits) => {
    expect(decided(read(path), [deny(`Read(${specifier})`)]) === 'deny').toBe(fits)
    expect(decided(write(path), [allow(`Edit(${specifier})`)])).toBe(fits ? 'allow' : 'ask')
  })

  test('a folder whose name looks like a pattern is itself', () => {
    const roots = ['/a/[x]{y,z}*']
    expect(decided(write(`${roots[0]}/src/a`), [allow('Edit(src/**)')], { roots })).toBe('allow')
    expect(decided(write('/a/xy/src/a'), [allow('Edit(src/**)')], { roots })).toBe('ask')
  })

  test('at any depth means everywhere for a rule that refuses, and within the work for one that allows', () => {
    expect(decided(read('/elsewhere/.env'), [deny('Read(.env)')])).toBe('deny')
    expect(decided(read('/elsewhere/.env'), [deny('Read(**/.env)')])).toBe('deny')
    expect(decided(read('/elsewhere/.env'), [allow('Read(.env)')])).toBe('ask')
    expect(decided(write('/more/a.ts'), [allow('Edit(*.ts)')], { roots: [ROOT, '/more'] })).toBe('allow')
  })

  test('a rule that refuses what is in a folder refuses what is further down', () => {
    expect(decided(read(`${ROOT}/keys/a/b`), [deny('Read(./keys)')])).toBe('deny')
    expect(decided(read(`${ROOT}/keys/a/b`), [deny('Read(./keys/*)')])).toBe('deny')
    expect(decided(write(`${ROOT}/keys/a/b`), [allow('Edit(./keys/*)')])).toBe('ask')
  })

  test('where nobody knows the home, ~ is anywhere for a rule that refuses, and nowhere for one that allows', () => {
    const nowhere = { home: undefined }
    expect(decided(read('/home/bob/.ssh/id'), [deny('Read(~/.ssh/**)')], nowhere)).toBe('deny')
    expect(decided(write('/home/bob/x/id'), [allow('Edit(~/x/**)')], nowhere)).toBe('ask')
  })

  test('one slash begins at the project; whoever may have meant the other one is asked', () => {
    expect(decided(read('/etc/passwd'), [allow('Read(//etc/**)'), deny('Read(/etc/**)')])).toBe('ask')
    expect(decided(read(`${ROOT}/etc/passwd`), [deny('Read(/etc/**)')])).toBe('deny')
  })
})

describe('which tools a rule speaks of', () => {
  test.each(['Write', 'Edit', 'MultiEdit', 'NotebookEdit'])('Edit(…) speaks of %s', tool => {
    expect(decided(write(`${ROOT}/a/b`, tool), [allow('Edit(a/**)')])).toBe('allow')
    expect(decided(write(`${ROOT}/a/b`, tool), [deny('Edit(a/**)')])).toBe('deny')
    expect(decided(write(`${ROOT}/a/b`, tool), [deny('Write(a/**)')])).toBe('deny')
  })

  test.each(['Read', 'Glob', 'Grep'])('Read(…) speaks of %s', tool => {
    expect(decided(read('/other/a/b', tool), [allow('Read(//other/**)')])).toBe('allow')
    expect(decided(read(`${ROOT}/a/b`, tool), [deny('Read(a/**)')])).toBe('deny')
  })

  test('Write(…) allows Write only, and a rule about reading allows no writing', () => {
    expect(decided(write(`${ROOT}/a/b`, 'Write'), [allow('Write(a/**)')])).toBe('allow')
    expect(decided(write(`${ROOT}/a/b`, 'Edit'), [allow('Write(a/**)')])).toBe('ask')
    expect(decided(write(`${ROOT}/a/b`, 'Edit'), [allow('Read(a/**)')])).toBe('ask')
    expect(decided(read('/other/a'), [allow('Edit(//other/**)')])).toBe('ask')
  })

  test('what may not be read may not be changed either', () => {
    expect(decided(write(`${ROOT}/.env`, 'Edit'), [allow('Edit'), deny('Read(.env)')])).toBe('deny')
    expect(decided(read(`${ROOT}/a`), [deny('Edit(a)')])).toBe('allow')
  })

  test('a tool of somebody else that is about a file is meant, too', () => {
    const call = { ...write(`${ROOT}/a/b`), tool: 'Format' }
    expect(decided(call, [allow('Format'), deny('Edit(a/**)')])).toBe('deny')
    expect(decided({ ...call, subject: undefined }, [allow('Format'), deny('Edit(a/**)')])).toBe('allow')
  })

  test('a tool alone means that tool only', () => {
    expect(decided(write(`${ROOT}/a`, 'Write'), [deny('Edit')])).toBe('ask')
    expect(decided(write(`${ROOT}/a`, 'Edit'), [deny('Read')])).toBe('ask')
  })

  test('a search through a folder that holds what may not be read is asked about, unless that is left out', () => {
    for (const tool of ['Grep', 'Glob']) {
      expect(decided(read(ROOT, tool), [deny('Read(./keys/**)')])).toBe('ask')
      expect(decided(read(ROOT, tool), [deny('Read(.env)')])).toBe('ask')
      expect(decided(read(`${ROOT}/src`, tool), [deny('Read(./keys/**)')])).toBe('allow')
      expect(decided(read(`${ROOT}/keys/x`, tool), [deny('Read(./keys/**)')])).toBe('deny')
      expect(decided(read(ROOT, tool), [deny('Read(./keys/**)')], { leavesOut: true })).toBe('allow')
      expect(decided(other(tool, { pattern: 'x' }, true), [deny('Read(./keys/**)')])).toBe('ask')
    }
  })

  test('a command that names such a file is asked about', () => {
    const rules = [allow('Bash'), deny('Read(./secrets/**)'), deny('Write(./.agent/**)')]
    for (const command of [
      'cat secrets/k',
      'cat $HOME/ws/secrets/k',
      'cat "${HOME}/ws/secrets/k"',
      'cat ~/ws/secrets/k',
      'cat < ./x/../secrets/k',
      'cat s"e"crets/k',
      `cat ${ROOT}/secrets/k`,
      'tool --file=secrets/k',
      'echo x > .agent/settings.json',
      'for f in secrets/k; do cat $f; done'
    ])
      expect(decided(bash(command), rules, { mode: 'bypassPermissions' })).toBe('ask')
    expect(decided(bash('cat src/k'), rules)).toBe('allow')
  })
})

describe('other ways to the same file', () => {
  // P4, P5: the real path counts, and for rules that refuse the name that was given, too.
  test('a link', () => {
    const call = write(`${ROOT}/keys/a`, 'Write', `${ROOT}/link`)
    expect(decided(call, [deny('Edit(keys/**)')])).toBe('deny')
    expect(decided(call, [deny('Edit(link)')])).toBe('deny')
    expect(decided(call, [allow('Edit(link)')])).toBe('ask')
  })

  // P10, P11
  test('another case, another way to write accents: asked about', () => {
    expect(decided(read(`${ROOT}/KEYS/a`), [deny('Read(./keys/**)')])).toBe('ask')
    expect(decided(read(`${ROOT}/caf\u0065\u0301`), [deny('Read(./caf\u00E9)')])).toBe('ask')
    expect(decided(write(`${ROOT}/SRC/a`), [allow('Edit(src/**)')])).toBe('ask')
  })

  // P1, P12
  test.each([`${ROOT}/src/../keys/a`, `${ROOT}//keys/a`, `${ROOT}/keys/./a`, `${ROOT}/keys/a/`, `${ROOT}/keys/a/.`])(
    '%s',
    path => {
      expect(decided(read(path), [deny('Read(./keys/**)')])).toBe('deny')
    }
  )

  // P9
  test('signs of the shell are just names', () => {
    expect(decided(read(`${ROOT}/~/x`), [deny('Read(~/x)')])).toBe('allow')
    expect(decided(read(`${ROOT}/$HOME/x`), [deny('Read(~/x)')])).toBe('allow')
  })
})

const fitsPath = (glob: string, path: string): boolean => pathGlob(glob)(namesOf(path))

describe('globs', () => {
  // R2, R3, R4: no pattern takes long.
  test.each([
    ['*a'.repeat(200), 'a'.repeat(4_000)],
    ['**/'.repeat(200) + 'x', 'a/'.repeat(2_000)],
    ['*(*(*(a|b)))', 'a'.repeat(4_000)],
    ['{a,b}'.repeat(100), 'a'.repeat(4_000)],
    ['['.repeat(4_000), ']'.repeat(4_000)],
    ['{,'.repeat(2_000), 'a']
  ])('%.20s…', (pattern, text) => {
    expect(fitsPath(`/${pattern}`, `/${text}b`)).toBe(false)
  })

  test('a name without signs fits itself and nothing else', () => {
    const name = fc.stringMatching(/^[\w.@ -]{1,8}$/).filter(text => !/^\.{1,2}$/.test(text))
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), fc.array(name, { maxLength: 4 }), (a, b) => {
        const [one, two] = [`/${a.join('/')}`, `/${b.join('/')}`]
        expect(fitsPath(one, one)).toBe(true)
        expect(fitsPath(one, two)).toBe(one === two)
        expect(fitsPath(`${one}/**`, `${one}${two}`)).toBe(true)
        expect(fitsPath(`/**/${a.at(-1)}`, one)).toBe(true)
      })
    )
  })
})
