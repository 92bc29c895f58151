import type { Scope } from '@carillon/contracts';
import type { JsonSchema } from '@carillon/schema';
import type { Row } from '../request/row';

/** The arguments of a call, as the client sent them: nobody has checked them. */
export type Given = Readonly<Record<string, unknown>>;

/** What a route of the Agent API answered to the gateway's own request. */
export interface RouteAnswer {
  readonly status: number;
  readonly body: Given;
}

export interface ToolCall {
  /** Requests a route with the caller's token, exactly as the caller could. */
  request(row: Row, given: Given): Promise<RouteAnswer>;
  /** Reports progress; absent when the client did not ask for it. */
  progress?(seconds: number, of: number, message: string): void;
}

/** The result of a call: the type of the protocol, as far as this gateway uses it. */
export interface ToolResult {
  [member: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
}

/** A tool as `tools/list` shows it. */
export interface Listing {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly annotations: {
    readonly readOnlyHint?: true;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: true;
  };
}

export interface Tool {
  /** All scopes of its routes. */
  readonly scopes: readonly Scope[];
  readonly listing: Listing;
  /** It may wait for a person, so that it must end with its client and may report progress. */
  readonly waits?: true;
  call(given: Given, call: ToolCall): Promise<ToolResult>;
}
