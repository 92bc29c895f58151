/** One event of a server-sent stream. */
export interface Frame {
  readonly event?: string;
  readonly id?: string;
  readonly data?: string;
}

/** Takes pieces of the text as they come, and gives the frames that have become whole. */
export function frameReader(): (piece: string) => Frame[] {
  let rest = '';
  return (piece) => {
    const blocks = (rest + piece).split('\n\n');
    rest = blocks.pop() ?? '';
    return blocks.map(frameOf);
  };
}

function frameOf(block: string): Frame {
  const fields = block.split('\n').flatMap((line) => {
    const [, name, value] = /^(event|id|data): ?(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(fields) as Frame;
}
