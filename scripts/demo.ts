/** The guided tour, offline: `npm run demo`. The installed package has it too, as `carabiner demo`. */
import { main } from '../src/lib/cli/main.ts'

const code = await main(['demo'])
process.stdout.write('', () => process.exit(code))
