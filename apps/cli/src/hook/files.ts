import { homedir } from 'node:os';
import { join } from 'node:path';
import type { HostName } from './hosts';

/** How a host is told to run a hook. */
export interface Installation {
  readonly file: string;
  /** By event, the group of hooks that is added to its list. */
  readonly entries: Readonly<Record<string, object>>;
  /** Members that the file must have. */
  readonly base: object;
  readonly words: readonly string[];
}

/** The host's limit comes after the end of the wait, so that the answer of the hook comes first. */
const spareSeconds = 30;
const tellSeconds = 30;

export function installationOf(host: HostName, command: string, waitSeconds: number): Installation {
  const timeout = waitSeconds + spareSeconds;
  const group = (more: object, matcher?: string): object => ({
    ...(matcher !== undefined && { matcher }),
    hooks: [{ type: 'command', command, ...more }],
  });
  switch (host) {
    case 'claude-code':
      return {
        file: join(homedir(), '.claude', 'settings.json'),
        // Without onFailure Claude Code goes on when a hook takes too long or crashes.
        entries: {
          PermissionRequest: group({ timeout, onFailure: 'block' }, '*'),
          Notification: group({ timeout: tellSeconds }, 'idle_prompt'),
        },
        base: {},
        words: [],
      };
    case 'codex':
      return {
        file: join(homedir(), '.codex', 'hooks.json'),
        entries: { PermissionRequest: group({ timeout }) },
        base: {},
        words: ['Codex runs it after you have trusted it once, under /hooks.'],
      };
    case 'copilot':
      return {
        file: join(process.cwd(), '.github', 'hooks', 'carillon.json'),
        entries: { preToolUse: { type: 'command', bash: command, timeoutSec: timeout } },
        base: { version: 1 },
        words: ['Copilot reads hooks of the folder in which it is started: this one.'],
      };
    case 'gemini':
      return {
        file: join(homedir(), '.gemini', 'settings.json'),
        entries: {
          BeforeTool: group({ timeout: timeout * 1_000 }, 'run_shell_command|write_file|replace'),
          Notification: group({ timeout: tellSeconds * 1_000 }),
        },
        base: {},
        words: [
          'A hook of Gemini can only deny, or tell: what you allow on the phone, Gemini still asks in its terminal.',
        ],
      };
  }
}
