import { builtInTool } from '../built-in.ts'
import { absolutePath, fileSubject, judgedFile } from '../files/tool-paths.ts'
import { presentGrep } from '../present.ts'
import { openPlace } from './search-place.ts'
import { failed, type Tool } from '../tool.ts'

export const grepTool: Tool = builtInTool('Grep', {
  description: `Searches for a regular expression in files, with ripgrep.

- It lists the files with a match, newest first; output_mode "content" shows the lines, "count" counts them.
- Literal braces need a backslash: "interface\\\\{\\\\}". A pattern that spans lines needs "multiline".
- Files in .gitignore, binary files and links are left out.`,
  check({ path, ...rest }, session) {
    if ([rest.pattern, rest.glob, rest.type].some(text => text?.includes('\0'))) {
      return { problem: 'the input holds a NUL character' }
    }
    if (path === undefined || path === '') return { input: rest }
    const found = absolutePath(path, session)
    return 'problem' in found ? found : { input: { ...rest, path: found.path } }
  },
  subject: (input, session) => fileSubject(input, 'read', session, input.path ?? session.cwd),
  present: presentGrep,
  async run(input, call) {
    const place = await openPlace(judgedFile(input, call.session, input.path ?? call.session.cwd))
    if ('problem' in place) return failed(place.problem)
    try {
      const { contentOf, countsOf, filesOf } = await import('./grep-modes.ts')
      const mode = { content: contentOf, files_with_matches: filesOf, count: countsOf }[input.output_mode]
      return (await mode(input, place, call)) ?? failed('the search was interrupted')
    } finally {
      await place.close()
    }
  }
})
