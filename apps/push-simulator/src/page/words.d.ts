/** Why a press changed nothing, from the answer of the service; nothing when it was taken. */
export function refusal(said: { status: number; body: unknown }): string | undefined;
