import { HookRegistry } from 'carabiner'

/** The session that a program is in, if it is in one. */
declare const session: { id: string | undefined; folder: string | undefined }

const hooks = new HookRegistry()
await hooks.fire('Stop', { stop_hook_active: false, session_id: session.id, cwd: session.folder })
hooks.on('Stop', async ctx => {
  await ctx.fire('SessionEnd', { reason: 'other', session_id: session.id })
})
