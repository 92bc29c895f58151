import type { IncomingHttpHeaders } from 'node:http';
import { isRecord } from './messages';
import type { Given } from './tool';

const revision = '2026-07-28';
const envelopeOf = 'io.modelcontextprotocol/';

/** A call of a tool whose answer is one message, and that asks for nothing else. */
export interface PlainCall {
  readonly id: string | number;
  readonly name: string;
  readonly given: Given;
  /** What the client says of itself, as text: the same in each of its calls. */
  readonly envelope: string;
  readonly client: { readonly name: string; readonly version: string };
}

/** Undefined for everything that only the protocol's package can judge. */
export function plainCall(message: unknown, headers: IncomingHttpHeaders): PlainCall | undefined {
  if (!hasOnly(message, ['jsonrpc', 'id', 'method', 'params'])) return undefined;
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !hasOnly(params, ['name', 'arguments', '_meta']))
    return undefined;
  const { name, arguments: given = {}, _meta: meta } = params;
  if (!isId(id) || typeof name !== 'string' || !isRecord(given) || !isRecord(meta) || 'progressToken' in meta)
    return undefined;
  const client = meta[`${envelopeOf}clientInfo`];
  if (meta[`${envelopeOf}protocolVersion`] !== revision || !isClient(client)) return undefined;
  const isSaid =
    headers['content-type'] === 'application/json' &&
    headers['mcp-protocol-version'] === revision &&
    headers['mcp-method'] === method &&
    headers['mcp-name'] === name;
  return isSaid ? { id, name, given, envelope: JSON.stringify(meta), client } : undefined;
}

const hasOnly = (value: unknown, names: readonly string[]): value is Given =>
  isRecord(value) && Object.keys(value).every((name) => names.includes(name));

const isId = (id: unknown): id is string | number => typeof id === 'string' || Number.isSafeInteger(id);

const isClient = (client: unknown): client is PlainCall['client'] =>
  isRecord(client) && typeof client['name'] === 'string' && typeof client['version'] === 'string';

const longest = 4_096;

/**
 * The envelopes that the protocol's package has accepted. To judge one takes longer than most calls take, and a client
 * sends the same each time.
 */
export class KnownEnvelopes {
  private readonly known = new Set<string>();

  constructor(private readonly most = 1_000) {}

  has({ envelope }: PlainCall): boolean {
    return this.known.has(envelope);
  }

  add({ envelope }: PlainCall): void {
    if (envelope.length > longest || this.known.has(envelope)) return;
    if (this.known.size >= this.most) this.known.clear();
    this.known.add(envelope);
  }
}
