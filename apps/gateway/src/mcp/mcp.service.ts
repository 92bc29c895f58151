import { Refused } from '@carillon/eventing';
import { logger } from '@carillon/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type {
  McpHttpHandler,
  McpRequestContext,
  McpServer,
  Tool as ListedTool,
} from '@modelcontextprotocol/server';
import type { FastifyInstance } from 'fastify';
import { bearer } from '../access/bearer';
import { fromRefusal } from '../errors/refusals';
import { ownRequest } from '../request/context';
import type { EdgeRequest } from '../request/row';
import { traceOf } from '../trace/trace';
import { waitRow } from '../wait/wait.controller';
import { clientName, messageOf } from './messages';
import { KnownEnvelopes, type PlainCall, plainCall } from './plain-call';
import { RouteCalls } from './route-calls';
import { requestOf, type RouteRequest, urlOf } from './route-request';
import type { Given, RouteAnswer, Tool, ToolCall } from './tool';
import { toolNamed, toolsOf } from './tools';

const log = logger('gateway');
/** How long a client may keep the list of tools: a token's scopes never change, only a release adds tools. */
const listMs = 300_000;
const serverInfo = { name: 'carillon', title: 'Carillon', version: '1.0.0' };

/** A gateway that stops takes no request any more, not even its own. */
const isClosed = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'FST_ERR_REOPENED_CLOSE_SERVER';
const { status, code, sentence, members } = fromRefusal(new Refused('bus.unavailable'));
const unavailable: RouteAnswer = { status, body: { error: sentence, code, ...members } };

/** Of a call that makes no wait. */
const { signal: never } = new AbortController();

type Sdk = typeof import('@modelcontextprotocol/server');

/** What a tool needs to know of the message that calls it. */
interface Called {
  readonly client: { readonly name: string; readonly version: string } | undefined;
  readonly signal: AbortSignal;
  readonly progress?: ToolCall['progress'];
}

/** Serves the protocol with the tools of the caller's token. Each request has a server of its own. */
@Injectable()
export class McpService {
  private handler: Promise<McpHttpHandler> | undefined;
  private readonly envelopes = new KnownEnvelopes();

  constructor(
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost,
    @Inject(RouteCalls) private readonly routes: RouteCalls,
  ) {}

  /** Gives the answer, as text where it is a success of one message. */
  async serve(request: EdgeRequest, parsedBody: unknown): Promise<Response | string> {
    const { http, reply, token } = request;
    const plain = plainCall(parsedBody, http.headers);
    if (plain && this.envelopes.has(plain)) {
      const tool = toolNamed(plain.name);
      if (tool && !tool.waits) return this.callPlainly(request, tool, plain);
    }
    // Loaded with the first request: an installation without such clients does not pay for it.
    this.handler ??= this.load();
    const handler = await this.handler;
    const gone = new AbortController();
    reply.raw.once('close', () => {
      // Only a client that has left ends the call: an abort after each answer would cost as much as a small one.
      if (!reply.raw.writableFinished) gone.abort();
    });
    const headers = Object.entries(http.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((each): [string, string] => [name, each]),
    );
    const incoming = new Request(`http://carillon${http.url}`, {
      method: http.method,
      headers,
      // The protocol's package reads the body only where it is given no parsed one.
      ...(parsedBody === undefined && { body: new Uint8Array(http.body ?? []) }),
      signal: gone.signal,
    });
    return handler.fetch(incoming, {
      ...(parsedBody !== undefined && { parsedBody }),
      authInfo: {
        token: '',
        clientId: token?.tokenId ?? '',
        scopes: [...(token?.scopes ?? [])],
        extra: { request },
      },
    });
  }

  /** As the protocol's package would answer, which is not asked: it takes several times the processor of a route. */
  private async callPlainly(
    request: EdgeRequest,
    tool: Tool,
    { id, given, client }: PlainCall,
  ): Promise<string> {
    const result = await tool.call(given, this.callOf(request, tool, { client, signal: never }));
    const more = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo } };
    return JSON.stringify({ result: { ...result, ...more }, jsonrpc: '2.0', id });
  }

  private async load(): Promise<McpHttpHandler> {
    const sdk = await import('@modelcontextprotocol/server');
    return sdk.createMcpHandler((context) => this.serverFor(sdk, context), {
      legacy: 'stateless',
      onerror: (error) => log.debug({ err: error }, 'Rejected an MCP request'),
    });
  }

  private serverFor(sdk: Sdk, { authInfo }: McpRequestContext): McpServer {
    const request = authInfo?.extra?.['request'] as EdgeRequest;
    const offered = toolsOf(request.token?.scopes ?? []);
    const mcp = new sdk.McpServer(serverInfo, {
      // The list of a token's tools changes with a release alone: nobody listens for it.
      capabilities: { tools: { listChanged: false } },
      cacheHints: { 'tools/list': { ttlMs: listMs, cacheScope: 'private' } },
    });
    mcp.server.setRequestHandler('tools/list', () => ({
      tools: offered.map(({ listing }) => listing as ListedTool),
    }));
    mcp.server.setRequestHandler('tools/call', async ({ params }, context) => {
      const tool = offered.find(({ listing }) => listing.name === params.name);
      if (!tool)
        throw new sdk.ProtocolError(sdk.ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`);
      const plain = plainCall(messageOf(request.http), request.http.headers);
      if (plain) this.envelopes.add(plain);
      const { signal, _meta: { progressToken } = {} } = context.mcpReq;
      const called: Called = {
        client: mcp.server.getClientVersion(),
        signal,
        ...(progressToken !== undefined && {
          progress: (progress, total, message) =>
            void context.mcpReq
              .notify({
                method: 'notifications/progress',
                params: { progressToken, progress, total, message },
              })
              .catch(() => {}),
        }),
      };
      return tool.call(params.arguments ?? {}, this.callOf(request, tool, called));
    });
    return mcp;
  }

  private callOf(
    request: EdgeRequest,
    { listing: { name } }: Tool,
    { client: known, signal, progress }: Called,
  ): ToolCall {
    const { http, token } = request;
    const client = clientName(known, http.headers['user-agent']);
    log.info({ client, tool: name, tokenId: token?.tokenId, traceparent: traceOf(http) }, 'MCP tool called');
    const userAgent = `${client} (tool ${name})`;
    return {
      request: (row, given) => {
        const asked = requestOf(row, given);
        return row === waitRow
          ? this.wait(request, asked, { userAgent, signal })
          : this.routes.answer(request, row, asked, userAgent);
      },
      ...(progress && { progress }),
    };
  }

  /** A wait, which ends with its client and is held by its own route. */
  private async wait(
    asking: EdgeRequest,
    asked: RouteRequest,
    { userAgent, signal }: { readonly userAgent: string; readonly signal: AbortSignal },
  ): Promise<RouteAnswer> {
    const { http } = asking;
    asking.isUncounted = false;
    const app = this.host.httpAdapter.getInstance<FastifyInstance>();
    try {
      const answer = await app.inject({
        method: 'GET',
        url: urlOf(waitRow, asked),
        headers: {
          ...ownRequest,
          host: http.host,
          authorization: `Bearer ${bearer(http)}`,
          'user-agent': userAgent,
          'x-request-id': http.id,
          traceparent: traceOf(http),
        },
        remoteAddress: http.ip,
        signal,
      });
      return { status: answer.statusCode, body: answer.json<Given>() };
    } catch (error) {
      if (!isClosed(error)) throw error;
      return unavailable;
    }
  }
}
