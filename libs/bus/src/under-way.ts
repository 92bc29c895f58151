/** By command id: what is being answered here, and whether the log has something of it. */
const underWay = new Map<string, { answers: number; stored: boolean }>();

/** The log has taken something of this command. Whatever fails from now on, "try again" would do it twice. */
export function stored(commandId: string): void {
  const command = underWay.get(commandId);
  if (command) command.stored = true;
}

/** A command and what it asks of other services have one id, and may be answered in one process. */
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
