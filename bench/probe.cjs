// Loaded into processes that are measured (bench/process.ts): their CPU time and memory, written when they end.
const { readFileSync, writeSync } = require('node:fs')

process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  writeSync(3, JSON.stringify({ cpu: (user + system) / 1000, memory: peak() / 1024 }))
})

/** In kilobytes. The `maxRSS` of resourceUsage() includes the parent's memory at the time of the fork. */
function peak() {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))[1])
  } catch {
    return process.resourceUsage().maxRSS
  }
}
