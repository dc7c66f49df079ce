/** Runs of `carabiner run` that are ended at any moment, and resumed. Independent of the test runner. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Message } from '../../../src/hooks.ts'
import { unpaired } from '../agent-scene.ts'
import { seeded } from '../seed.ts'
import { anthropicServer } from '../anthropic-server.ts'
import { actOf, lastAct, type Act, type Promised } from './act.ts'
import {
  brokenIn,
  courseOf,
  falseOf,
  sessionState,
  isToldUnknown,
  tampered,
  transcriptsOf,
  unpairedAfterKill,
  unwritten,
  type Transcripts
} from './checks.ts'
import { newPlace, type Moment, type KillPlace, type KilledRun } from './place.ts'

export interface Wish {
  /** How often a run is to be ended. */
  readonly kills: number
  readonly signal?: NodeJS.Signals
  readonly seed: number
  /** How many sessions there are at once. */
  readonly atOnce?: number
  readonly onRound?: (tally: Tally) => void
}

/** What has happened so far. */
export interface Tally {
  kills: number
  /** Those of them that came after the model was asked. */
  atWork: number
  rounds: number
  calls: number
  /** Calls that had started, and whose effect is unknown. */
  unknown: number
  /** Transcripts that end in the middle of an entry. */
  torn: number
  readonly violations: string[]
}

const ALLOWED = ['--allowedTools', 'Bash,Read,Edit,Write,Agent']
/** The most that a run of one session is ended. */
const MOST_KILLS = 8
/** This soon after its first hook has ended, a call is usually running; in milliseconds. */
const CLOSE = 40
/** One session in this many is resumed with a provider on loopback. */
const SERVED = 8

/** Ends runs until that has been done as often as was wished for. */
export async function endRuns({ kills, signal = 'SIGKILL', seed, atOnce = 4, onRound }: Wish): Promise<Tally> {
  const cache = mkdtempSync(join(tmpdir(), 'carabiner-kills-cache-'))
  const tally: Tally = { kills: 0, atWork: 0, rounds: 0, calls: 0, unknown: 0, torn: 0, violations: [] }
  let next = 0
  try {
    const pace = await paceOf(cache, seed, atOnce)
    const work = async (): Promise<void> => {
      while (tally.kills < kills) {
        await new Round({ number: ++next, seed, signal, pace, cache, tally, kills }).run()
        tally.rounds++
        onRound?.(tally)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    return tally
  } finally {
    rmSync(cache, { recursive: true, force: true })
  }
}

/** How long an uninterrupted run takes, from its start and from its first output, in milliseconds. */
interface Pace {
  whole: number
  work: number
}

/** Runs a few to their end, as many at once as later. */
async function paceOf(cache: string, seed: number, atOnce: number): Promise<Pace> {
  const measure = async (number: number): Promise<KilledRun> => {
    const place = newPlace(cache)
    try {
      const act = actOf('pace', seeded(seed - number))
      return await perform(place, act, 'pace', ['Go', '--session-id', 'pace'], undefined)
    } finally {
      place.remove()
    }
  }
  // The first ones find nothing in the cache.
  await measure(1)
  const runs = await Promise.all(Array.from({ length: atOnce }, (_, number) => measure(number)))
  const mean = (of: (ran: KilledRun) => number): number => runs.reduce((sum, ran) => sum + of(ran), 0) / runs.length
  return { whole: mean(({ length }) => length), work: mean(({ lengthOfWork }) => lengthOfWork) }
}

async function perform(
  place: KillPlace,
  { turns, promises }: Act,
  name: string,
  args: readonly string[],
  moment: Moment | undefined
): Promise<KilledRun> {
  for (const { file } of promises) if (file?.old !== undefined) place.write(file.name, file.old)
  place.write(`script-${name}`, JSON.stringify({ turns, repeatLast: true }))
  return place.run([...args, '--model', `script:script-${name}`, ...ALLOWED], moment)
}

interface Part {
  readonly number: number
  readonly seed: number
  readonly signal: NodeJS.Signals
  readonly pace: Pace
  readonly cache: string
  readonly tally: Tally
  /** How many kills are wished for, in all sessions. */
  readonly kills: number
}

/** One session: it is ended a few times, each time while it is being resumed, and then left alone. */
class Round {
  readonly #part: Part
  readonly #random: () => number
  readonly #place: KillPlace
  readonly #session: string
  readonly #promises: Promised[] = []
  #before: Transcripts = new Map()
  #kills = 0

  constructor(part: Part) {
    this.#part = part
    this.#random = seeded(part.seed * 10_007 + part.number)
    this.#place = newPlace(part.cache)
    this.#session = `round-${part.number}`
  }

  async run(): Promise<void> {
    const { tally, kills } = this.#part
    const acts = 1 + Math.floor(this.#random() * MOST_KILLS)
    try {
      for (let act = 0; act < acts && tally.kills < kills; act++) await this.#act(act)
      await this.#last()
    } catch (error) {
      this.#complain('at the end', [`broke: ${(error as Error).stack}`])
    } finally {
      this.#place.remove()
    }
  }

  /** Any moment, usually one at which it is working, and often one at which a call is about to do something. */
  #moment({ promises }: Act): Moment {
    const { pace, signal } = this.#part
    const [kind, part, which] = [this.#random(), this.#random(), this.#random()]
    if (kind < 1 / 8) return { from: 'start', after: Math.round(part * pace.whole), signal }
    if (kind < 1 / 2) return { from: 'word', after: Math.round(part * pace.work), signal }
    const files = promises.filter(({ file }) => file !== undefined)
    const aims = kind < 3 / 4 && files.length > 0 ? files : promises
    const call = aims[Math.floor(which * aims.length)]!.id
    return { from: 'call', call, after: Math.round(part * CLOSE), signal }
  }

  /** Where nothing was written down, it begins anew under the same name: nothing may keep it from that. */
  #args(needsPrompt = false): readonly string[] {
    if (this.#before.size === 0) return ['Go', '--session-id', this.#session]
    const mayBeSilent = !needsPrompt && sessionState(this.#before) !== 'silent'
    const prompt = this.#random() < 0.5 || !mayBeSilent ? ['And now?'] : []
    return [...prompt, '--resume', this.#session]
  }

  async #act(number: number): Promise<void> {
    const name = `r${this.#part.number}a${number}`
    const act = actOf(name, this.#random)
    const [args, moment] = [this.#args(), this.#moment(act)]
    this.#promises.push(...act.promises)
    const ran = await perform(this.#place, act, name, args, moment)
    const where = `act ${number} (${args.join(' ')}), ${moment.signal} ${moment.after} ms after ${moment.call ?? `its ${moment.from}`}`
    if (ran.isStruck) {
      this.#kills++
      this.#part.tally.kills++
      if (ran.printed.length > 0) this.#part.tally.atWork++
    } else if (moment.from !== 'call') this.#part.pace[moment.from === 'start' ? 'whole' : 'work'] *= 0.97
    await this.#look(where, ran)
    if (!ran.isStruck) this.#complain(where, unwell(ran))
    else if (moment.signal === 'SIGTERM') this.#complain(where, uncivil(ran, this.#before))
  }

  /** In peace, and now and then with a provider that sees what is sent. */
  async #last(): Promise<void> {
    const args = this.#args(sessionState(this.#before) === 'answered')
    const act = lastAct(`r${this.#part.number}last`)
    const where = `the last act (${args.join(' ')})`
    const isServed = this.#part.number % SERVED === 0
    if (!isServed) this.#promises.push(...act.promises)
    const ran = isServed ? await this.#served(where, args) : await perform(this.#place, act, 'last', args, undefined)
    await this.#look(where, ran)
    this.#complain(where, unwell(ran))
    if (!isServed)
      this.#complain(
        where,
        this.#place
          .names()
          .filter(isUnfinished)
          .map(file => `${file} is left`)
      )
    const [main] = this.#before.values()
    for (const entry of main?.entries ?? []) {
      if (entry.type !== 'tool-intent') continue
      const course = courseOf(String(entry['toolUseId']), this.#before)
      if (course.result === undefined) this.#complain(where, [`${entry['toolUseId']} has no result`])
      if (course.outcome === undefined && isToldUnknown(course)) this.#part.tally.unknown++
    }
    this.#part.tally.calls += this.#promises.length
  }

  async #served(where: string, args: readonly string[]): Promise<KilledRun> {
    const done = { blocks: [{ type: 'text', text: 'Done.' }] } as const
    const server = await anthropicServer(...Array.from({ length: 8 }, () => done))
    const env = { ANTHROPIC_API_KEY: 'key-of-a-test', ANTHROPIC_BASE_URL: server.url }
    try {
      const ran = await this.#place.run([...args, ...ALLOWED], undefined, env)
      for (const { body } of server.requests) {
        this.#complain(where, unpaired(body.messages as unknown as readonly Message[]))
        if (/"text":""|"content":\[\]/.test(JSON.stringify(body.messages)))
          this.#complain(where, ['empty words are sent'])
      }
      if (server.requests.length === 0) this.#complain(where, ['the model was not asked'])
      return ran
    } finally {
      await server.close()
    }
  }

  /** Looks at all that is there now. */
  async #look(where: string, ran: KilledRun): Promise<void> {
    const now = await transcriptsOf(this.#place, this.#session)
    const result = ran.printed.findLast(({ type }) => type === 'result')
    this.#complain(where, [
      ...ran.left.map(words => `left running: ${words}`),
      ...brokenIn(now, this.#before, this.#kills),
      ...tampered(this.#place, this.#session, now),
      ...unwritten(now, ran.printed),
      ...unpairedAfterKill(now, result),
      ...this.#promises.flatMap(promised => falseOf(promised, now, this.#place))
    ])
    for (const { gaps } of now.values()) if (gaps.at(-1)?.why === 'torn') this.#part.tally.torn++
    this.#before = now
  }

  #complain(where: string, faults: readonly string[]): void {
    const { number, seed, tally } = this.#part
    tally.violations.push(...faults.map(fault => `seed ${seed}, round ${number}, ${where}: ${fault}`))
  }
}

const isUnfinished = (name: string): boolean => name.includes('.carabiner-') && name.endsWith('.tmp')

/** What is wrong with a run that was not ended. */
function unwell({ code, signal, printed, stderr }: KilledRun): readonly string[] {
  const result = printed.find(({ type }) => type === 'result')
  if (code === 0 && result?.['is_error'] === false) return []
  return [`it ended with ${code ?? signal}: ${JSON.stringify(result?.['result'] ?? stderr)}`]
}

/** What is wrong with how a run ended that was asked to. Before it has begun to listen, it just ends. */
function uncivil({ code, signal, printed }: KilledRun, transcripts: Transcripts): readonly string[] {
  const result = printed.findLast(({ type }) => type === 'result')
  const hasBegun = printed.length > 0
  const gaps = [...transcripts.values()].flatMap(transcript => transcript.gaps)
  return [
    ...(hasBegun && code === null ? [`it died of ${signal}`] : []),
    ...(hasBegun && result === undefined ? ['it gave no result'] : []),
    ...gaps.map(gap => `it left ${JSON.stringify(gap)}`)
  ]
}
