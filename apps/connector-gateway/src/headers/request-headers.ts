import type { IncomingHttpHeaders } from 'node:http';
import { takePass } from '../routing/pass';
import { withoutOurs } from './cookies';
import { dashed, hopByHop } from './hop-by-hop';

/** The visitor, as disclosed to the app. */
export interface Visitor {
  readonly id: string;
  readonly name?: string;
  /** Verified: one that is not known to be theirs is left out. */
  readonly email?: string;
}

export interface ForwardedFrom {
  /** The connector's hostname, with a port where it has one. */
  readonly host: string;
  /** The address that the connection comes from: of the tunnel, where there is one. */
  readonly peer: string | undefined;
  readonly upgrade: boolean;
  /** Absent for what Carillon itself sends. */
  readonly identity?: { readonly user: Visitor; readonly assertion: string };
}

/** What is said for us alone, is ours to say, or is looked into first. */
const ours = /^(carillon-|x-forwarded-|forwarded$|connector-signature$|expect$|host$|cookie$|referer$)/;

/** Carillon says with each callback which of its endpoint's it is. */
const sequence = 'carillon-sequence';

/** The headers for the private service: the end-to-end headers, and the visitor as Carillon identifies them. */
export function requestHeaders(given: IncomingHttpHeaders, sender: ForwardedFrom): IncomingHttpHeaders {
  const dropped = hopByHop(given.connection);
  const headers: IncomingHttpHeaders = {};
  for (const name in given) {
    const plain = dashed(name);
    const isOurs = ours.test(plain) && !(sender.identity === undefined && name === sequence);
    if (!dropped.has(plain) && !isOurs) headers[name] = given[name];
  }
  // How the body is framed on the next connection too: without it, it would be taken for another request there.
  if (given['transfer-encoding'] !== undefined) headers['transfer-encoding'] = 'chunked';
  if (sender.upgrade) Object.assign(headers, { connection: 'Upgrade', upgrade: 'websocket' });
  const cookies = given.cookie === undefined ? undefined : withoutOurs(given.cookie);
  if (cookies !== undefined) headers.cookie = cookies;
  if (given.referer !== undefined && !holdsPass(given.referer)) headers.referer = given.referer;

  const [, port = '443'] = /:(\d+)$/.exec(sender.host) ?? [];
  headers['host'] = sender.host;
  headers['x-forwarded-host'] = sender.host;
  headers['x-forwarded-proto'] = 'https';
  headers['x-forwarded-port'] = port;
  const before = given['x-forwarded-for'];
  headers['x-forwarded-for'] = before === undefined ? sender.peer : `${String(before)}, ${sender.peer}`;
  if (!sender.identity) return headers;
  const { user, assertion } = sender.identity;
  headers['carillon-user-id'] = user.id;
  if (user.name !== undefined) headers['carillon-user-name'] = visible(user.name);
  if (user.email !== undefined) headers['carillon-user-email'] = visible(user.email);
  headers['carillon-assertion'] = assertion;
  return headers;
}

const holdsPass = (url: string): boolean => takePass(url.replace(/^[^?]*\?/, '')).pass !== undefined;

/** What a header can hold: everything but visible ASCII and inner spaces is percent-encoded, and `%` itself. */
const visible = (text: string): string =>
  text.replace(/[^\x20-\x24\x26-\x7e]+|^ +|(?<! ) +$/g, (part) =>
    encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\ufffd')),
  );
