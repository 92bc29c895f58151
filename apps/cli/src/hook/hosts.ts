import type { ToolCall } from './shown';

export const hostNames = ['claude-code', 'codex', 'copilot', 'gemini'] as const;
export type HostName = (typeof hostNames)[number];

/** What a person has decided; `ask` gives it back to the terminal. */
export interface Decision {
  readonly behavior: 'allow' | 'deny' | 'ask';
  readonly reason: string;
  /** Rules of the host's own that it suggested, and the person took. */
  readonly permissions?: readonly unknown[];
}

export type HookEvent =
  | { readonly kind: 'permission'; readonly call: ToolCall; readonly suggestions: readonly unknown[] }
  | { readonly kind: 'notification'; readonly title: string; readonly body: string };

interface Host {
  /** How people call it. */
  readonly title: string;
  /** Undefined for an event that it does not know. */
  read(payload: Readonly<Record<string, unknown>>): HookEvent | undefined;
  /** The JSON for its stdin; undefined where silence gives the question back. */
  answer(decision: Decision): object | undefined;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const callOf = (
  host: string,
  tool: unknown,
  input: unknown,
  { cwd, session_id, sessionId }: Readonly<Record<string, unknown>>,
): ToolCall | undefined => {
  const name = textOf(tool);
  if (name === undefined || input === undefined || input === null) return undefined;
  return { host, tool: name, input, folder: textOf(cwd), session: textOf(session_id ?? sessionId) };
};

const permission = (
  call: ToolCall | undefined,
  suggestions: readonly unknown[] = [],
): HookEvent | undefined => call && { kind: 'permission', call, suggestions };

const notification = (host: string, message: unknown): HookEvent | undefined => {
  const body = textOf(message);
  return body === undefined ? undefined : { kind: 'notification', title: host, body };
};

const requested = ({ behavior, reason, permissions }: Decision): object | undefined => {
  if (behavior === 'ask') return undefined;
  const decision =
    behavior === 'deny'
      ? { behavior, message: reason }
      : { behavior, ...(permissions && { updatedPermissions: permissions }) };
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } };
};

export const hosts: Readonly<Record<HostName, Host>> = {
  'claude-code': {
    title: 'Claude Code',
    read: (payload) => {
      const { hook_event_name: event, tool_name: tool, tool_input: input } = payload;
      if (event === 'PermissionRequest')
        return permission(
          callOf('Claude Code', tool, input, payload),
          listOf(payload['permission_suggestions']),
        );
      return event === 'Notification' ? notification('Claude Code', payload['message']) : undefined;
    },
    answer: requested,
  },
  codex: {
    title: 'Codex',
    read: (payload) =>
      payload['hook_event_name'] === 'PermissionRequest'
        ? permission(callOf('Codex', payload['tool_name'], payload['tool_input'], payload))
        : undefined,
    // It refuses what it does not know, rules among it.
    answer: ({ behavior, reason }) => requested({ behavior, reason }),
  },
  copilot: {
    title: 'Copilot',
    // Its events do not name themselves: only preToolUse is installed, and others have other fields.
    read: (payload) => {
      if ('toolResult' in payload) return undefined;
      const { toolName, toolArgs } = payload;
      let input = toolArgs;
      try {
        if (typeof toolArgs === 'string') input = JSON.parse(toolArgs);
      } catch {
        // Text that is no JSON is shown as it is.
      }
      return permission(callOf('Copilot', toolName, input, payload));
    },
    answer: ({ behavior, reason }) => ({ permissionDecision: behavior, permissionDecisionReason: reason }),
  },
  gemini: {
    title: 'Gemini',
    read: (payload) => {
      const { hook_event_name: event, tool_name: tool, tool_input: input } = payload;
      if (event === 'BeforeTool') return permission(callOf('Gemini', tool, input, payload));
      return event === 'Notification' ? notification('Gemini', payload['message']) : undefined;
    },
    // It cannot be told to go on: what a person allows, its own question still follows.
    answer: ({ behavior, reason }) => (behavior === 'deny' ? { decision: 'deny', reason } : {}),
  },
};
