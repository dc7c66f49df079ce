/** An agent in a sandbox whose command runs until it is ended, in the foreground or the background: FOLDER, name, where. */
import { projectIn, askIn } from '../../support/agent-scene.ts'

const [folder, name, where] = process.argv.slice(2)
const place = projectIn(folder!)
const command = `touch started; exec -a ${name} sleep 1000`
const input = { command, run_in_background: where === 'background' }
const options = { permissionMode: 'bypassPermissions', allowDangerouslySkipPermissions: true, sandbox: true } as const
await askIn(place, [{ calls: [{ name: 'Bash', input }] }, 'done'], options)
