import type { Interaction } from '@carillon/contracts';
import type { JsonSchema } from '@carillon/schema';
import type { Row } from '../request/row';
import { invalidArgument, refusal, success } from './result';
import { argumentsOf, marking, renamed, unusable } from './route-tool';
import type { Given, RouteAnswer, Tool, ToolCall, ToolResult } from './tool';

/** The routes of a prompt. */
export interface PromptRows {
  readonly ask: Row;
  readonly get: Row;
  readonly wait: Row;
}

/** How long a call waits for a person when it does not say so itself. */
const usualSeconds = 45;
/** A client without progress takes a longer silence for a failure. */
const silentSeconds = 50;
const maxSeconds = 600;
const progressMs = 10_000;
const written = ['response'];

const waitSeconds: JsonSchema = {
  type: 'integer',
  minimum: 0,
  maximum: maxSeconds,
  description: `${usualSeconds} unless said; without a progress token at most ${silentSeconds}.`,
};

const outputSchema = marking(
  {
    type: 'object',
    properties: {
      interactionId: { type: 'string' },
      status: { type: 'string' },
      response: { type: ['string', 'null'] },
      accepted: { type: 'integer' },
      expiresAt: { type: 'string' },
      next: { type: 'string' },
    },
    required: ['interactionId', 'status', 'response'],
  },
  written,
);

/** How many seconds to wait, or the refusal of what the call gives. */
function secondsOf(given: unknown, call: ToolCall): number | ToolResult {
  if (given === undefined || given === null) return usualSeconds;
  if (typeof given !== 'number' || !Number.isInteger(given) || given < 0 || given > maxSeconds)
    return invalidArgument('waitSeconds', `must be a whole number from 0 to ${maxSeconds}`);
  return call.progress ? given : Math.min(given, silentSeconds);
}

const interactionIn = ({ body }: RouteAnswer): Interaction => body['interaction'] as Interaction;

const shown = ({ id, status, response, accepted, expiresAt }: Interaction): ToolResult =>
  success(
    {
      interactionId: id,
      status,
      response,
      accepted,
      expiresAt,
      ...(status === 'pending' && {
        next: 'Nobody has answered yet. Call wait_for_answer with this interactionId. Do not ask again.',
      }),
    },
    written,
  );

/** Waits for the end of a prompt. Whatever cuts the wait short, the prompt stays, and the result says how to go on. */
async function waited(
  rows: PromptRows,
  first: Interaction,
  { seconds, call, whom }: { seconds: number; call: ToolCall; whom: string },
): Promise<ToolResult> {
  let pending = first;
  let told = 0;
  const tell = (): void => {
    const accepted = `${pending.accepted} ${pending.accepted === 1 ? 'device' : 'devices'} accepted it`;
    call.progress?.(told, seconds, `Asked ${whom}: ${accepted}. Nobody has answered yet.`);
    told += progressMs / 1_000;
  };
  tell();
  const telling = setInterval(tell, progressMs);
  try {
    for (let left = seconds; ; left -= silentSeconds) {
      const timeoutSeconds = Math.min(left, silentSeconds);
      const answer = await call.request(rows.wait, { id: pending.id, timeoutSeconds });
      if (answer.status === 401) return refusal(answer);
      if (answer.status >= 300) return shown(pending);
      pending = interactionIn(answer);
      if (pending.status !== 'pending' || left <= silentSeconds) return shown(pending);
    }
  } finally {
    clearInterval(telling);
  }
}

function whomOf({ deviceIds, deviceGroupId }: Given): string {
  if (typeof deviceGroupId === 'string') return `the device group ${deviceGroupId}`;
  return Array.isArray(deviceIds) ? `${deviceIds.length} named devices` : 'all devices of the account';
}

const withWait = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: { ...(schema['properties'] as object), waitSeconds },
});

/** Asks a person and waits for the answer. */
export const askTool = (rows: PromptRows, fields: readonly string[]): Tool => ({
  scopes: [...rows.ask.scopes, ...rows.wait.scopes],
  listing: {
    name: 'ask',
    description:
      'Asks a person on their devices and waits for the answer. Only they can answer. Give an idempotencyKey: a repeat then waits for the same prompt.',
    inputSchema: withWait(argumentsOf(rows.ask, fields)),
    outputSchema,
    annotations: { destructiveHint: false },
  },
  waits: true,
  async call({ waitSeconds: wanted, ...given }, call) {
    const seconds = secondsOf(wanted, call);
    if (typeof seconds !== 'number') return seconds;
    const refused = unusable(rows.ask, given);
    if (refused) return refused;
    const asked = await call.request(rows.ask, given);
    if (asked.status >= 300) return refusal(asked);
    return waited(rows, interactionIn(asked), { seconds, call, whom: whomOf(given) });
  },
});

/** Waits for the answer to a prompt that was asked before. */
export const waitTool = (rows: PromptRows, id: string): Tool => ({
  scopes: rows.wait.scopes,
  listing: {
    name: 'wait_for_answer',
    description: 'Waits on for the answer to a prompt of this token.',
    inputSchema: withWait(argumentsOf(rows.get, [], { id })),
    outputSchema,
    annotations: { readOnlyHint: true },
  },
  waits: true,
  async call({ waitSeconds: wanted, ...given }, call) {
    const seconds = secondsOf(wanted, call);
    if (typeof seconds !== 'number') return seconds;
    const refused = unusable(rows.get, given, id);
    if (refused) return refused;
    const found = await call.request(rows.get, renamed(rows.get, given, id));
    if (found.status >= 300) return refusal(found);
    const interaction = interactionIn(found);
    if (interaction.status !== 'pending') return shown(interaction);
    return waited(rows, interaction, { seconds, call, whom: 'a person' });
  },
});
