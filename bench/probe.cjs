// Loaded into processes that are measured (bench/process.ts): their CPU time and memory, written when they end.
process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  require('node:fs').writeSync(
    3,
    JSON.stringify({ cpu: (user + system) / 1000, memory: process.resourceUsage().maxRSS / 1024 })
  )
})
