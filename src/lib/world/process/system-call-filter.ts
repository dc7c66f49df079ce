/** Numbers of system calls, by processor. `pair`: socketpair; `keys`: add_key, request_key and keyctl. */
const MACHINES: Readonly<Record<string, { audit: number; socket: number; pair: number; keys: readonly number[] }>> = {
  x64: { audit: 0xc000003e, socket: 41, pair: 53, keys: [248, 249, 250] },
  arm64: { audit: 0xc00000b7, socket: 198, pair: 199, keys: [217, 218, 219] }
}
/** It could make sockets without the call that is filtered. */
const IO_URING_SETUP = 425
/** From here on, numbers of x64 are those of another interface with the same calls. */
const OTHER_NUMBERS = 0x40000000
const [AF_UNIX, AF_VSOCK] = [1, 40]
/** Sockets of a pair can be connected to others unless they are of a connected type. */
const [SOCK_DGRAM, SOCK_RAW] = [2, 3]

const [LOAD, AND, IF_EQUAL, IF_AT_LEAST, RETURN] = [0x20, 0x54, 0x15, 0x35, 0x06]
const [NUMBER, MACHINE, FIRST_ARGUMENT, SECOND_ARGUMENT] = [0, 4, 16, 24]
const TYPES = 0xf
const NO_CALL = 0xffffffff
const ALLOW = 0x7fff0000
const EPERM = 0x00050001

/**
 * A seccomp program for `bwrap --seccomp`: no sockets to other processes of this machine, which no network namespace
 * holds back, and no access to the kernel's key rings. Programs for other processors are refused every call.
 */
export function systemCallFilter(unixSockets: boolean): Buffer | undefined {
  const machine = MACHINES[process.arch]
  if (machine === undefined) return undefined
  const families = unixSockets ? [AF_VSOCK] : [AF_UNIX, AF_VSOCK]
  const refused = [IO_URING_SETUP, ...machine.keys]
  const steps: [
    code: number,
    value: number,
    then: 'next' | 'refuse',
    otherwise: 'next' | 'refuse' | 'allow' | 'behind'
  ][] = [
    [LOAD, MACHINE, 'next', 'next'],
    [IF_EQUAL, machine.audit, 'next', 'refuse'],
    [LOAD, NUMBER, 'next', 'next'],
    [IF_AT_LEAST, OTHER_NUMBERS, 'refuse', 'next'],
    ...refused.map(call => [IF_EQUAL, call, 'refuse', 'next'] as (typeof steps)[number]),
    [IF_EQUAL, unixSockets ? NO_CALL : machine.pair, 'next', 'behind'],
    [LOAD, SECOND_ARGUMENT, 'next', 'next'],
    [AND, TYPES, 'next', 'next'],
    [IF_EQUAL, SOCK_DGRAM, 'refuse', 'next'],
    [IF_EQUAL, SOCK_RAW, 'refuse', 'allow'],
    [IF_EQUAL, machine.socket, 'next', 'allow'],
    [LOAD, FIRST_ARGUMENT, 'next', 'next'],
    ...families.map(family => [IF_EQUAL, family, 'refuse', 'next'] as (typeof steps)[number]),
    [RETURN, ALLOW, 'next', 'next'],
    [RETURN, EPERM, 'next', 'next']
  ]
  const program = Buffer.alloc(steps.length * 8)
  for (const [at, [code, value, then, otherwise]] of steps.entries()) {
    const jump = { next: 0, behind: 4, allow: steps.length - at - 3, refuse: steps.length - at - 2 }
    program.writeUInt16LE(code, at * 8)
    program.writeUInt8(jump[then], at * 8 + 2)
    program.writeUInt8(jump[otherwise], at * 8 + 3)
    program.writeUInt32LE(value, at * 8 + 4)
  }
  return program
}
