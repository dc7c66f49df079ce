/** `*` stands for anything. Pieces are looked for one after the other, so that no pattern takes long. */
export function globOf(glob: string): (text: string) => boolean {
  const [first, ...pieces] = glob.split('*')
  const last = pieces.pop()
  return text => {
    if (last === undefined) return text === first
    let from = first!.length
    if (!text.startsWith(first!) || !text.endsWith(last)) return false
    for (const piece of pieces) {
      const at = text.indexOf(piece, from)
      if (at === -1) return false
      from = at + piece.length
    }
    return from <= text.length - last.length
  }
}
