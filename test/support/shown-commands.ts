const fence = /^( *)```(\w*)\n(.*?)^ *```/gms

/** The command lines in the blocks of a page: those with a prompt, or all lines of a block without one. */
export function findShownCommands(text: string): string[] {
  return [...text.matchAll(fence)].flatMap(([, , language = '', block = '']) => {
    if (!/^(console|sh|bash|text|)$/.test(language)) return []
    const lines = block.replaceAll(/\\\n\s*/g, '').split('\n')
    const prompted = lines.filter((line) => /^\s*\$ /.test(line))
    return (prompted.length > 0 ? prompted : lines).map((line) =>
      line.replace(/^\s*(\$ )?/, '').replace(/(^|\s)#.*$/, ''),
    )
  })
}

/** The arguments of each `holdfast` command in a line for a shell. Values keep their variables. */
export function findHoldfastArguments(line: string): string[][] {
  return line
    .split(/\$\(|\||&&|;|[<>]+(?=[^<>]*$)/)
    .map((part) => part.match(/'[^']*'|"[^"]*"|[^\s'"()]+/g) ?? [])
    .flatMap((words) => {
      const start = words.findIndex(
        (word, index) =>
          /(^|\/)holdfast(\.js)?$/.test(word) &&
          (index === 0 || /^(npx|--|\w+=.*)$/.test(words[index - 1] ?? '')),
      )
      return start < 0 ? [] : [words.slice(start + 1).map(unquote)]
    })
}

function unquote(word: string): string {
  return word.replace(/^(['"])(.*)\1$/s, '$2')
}
