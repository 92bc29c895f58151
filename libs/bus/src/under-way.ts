/** The commands being answered in this process, by id, and whether the log has stored anything of them. */
const underWay = new Map<string, { answers: number; stored: boolean }>();

/** Marks a command as stored in the log: after a later failure a retry would execute it twice. */
export function stored(commandId: string): void {
  const command = underWay.get(commandId);
  if (command) command.stored = true;
}

/** Tracks `work` by command id; a command and its requests to other services share it, possibly in one process. */
export async function following<T>(
  commandId: string,
  work: (command: { readonly stored: boolean }) => Promise<T>,
): Promise<T> {
  const command = underWay.get(commandId) ?? { answers: 0, stored: false };
  command.answers += 1;
  underWay.set(commandId, command);
  try {
    return await work(command);
  } finally {
    command.answers -= 1;
    if (command.answers === 0) underWay.delete(commandId);
  }
}
