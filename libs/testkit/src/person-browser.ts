import type { HouseAnswer, HouseRequest } from './house-call';
import { request } from './house-call';

interface Cookie {
  readonly value: string;
  readonly path: string;
}

/** A person's browser, as far as an OAuth client uses it: cookies, and no page but those that it is sent to. */
export class PersonBrowser {
  private readonly cookies = new Map<string, Cookie>();

  constructor(private readonly baseUrl: string) {}

  async signIn({ email, password }: { readonly email: string; readonly password: string }): Promise<void> {
    const { status } = await this.session('POST', '/login/password', { body: { email, password } });
    if (status !== 200) throw new Error(`signing in was answered ${status}`);
  }

  session(method: string, path: string, given: HouseRequest = {}): Promise<HouseAnswer> {
    return this.go(method, `${this.baseUrl}/api/session${path}`, given);
  }

  /** One request with the cookies for its path; no redirect is followed. */
  async go(method: string, url: string, given: HouseRequest = {}): Promise<HouseAnswer> {
    const { pathname } = new URL(url);
    const cookie = [...this.cookies]
      .filter(([, { path }]) => pathname.startsWith(path))
      .map(([key, { value }]) => `${key.split('@')[0]}=${value}`)
      .join('; ');
    const headers = { ...given.headers, 'sec-fetch-site': 'same-origin', ...(cookie !== '' && { cookie }) };
    const answer = await request(method, url, { ...given, headers });
    for (const set of answer.headers.getSetCookie()) this.take(set);
    return answer;
  }

  /**
   * Goes where an OAuth client sends it and agrees to these scopes, or to those that are preselected. Gives the address
   * that it is sent back to, which is not opened.
   */
  async agree(authorization: string | URL, scopes?: readonly string[]): Promise<URL> {
    const uid = await this.begin(authorization);
    const { body } = await this.session('GET', `/oauth/interaction/${uid}`);
    const preselected = (body.scopes as { scope: string; preselected: boolean }[])
      .filter((each) => each.preselected)
      .map(({ scope }) => scope);
    const decided = await this.session('POST', `/oauth/interaction/${uid}`, {
      body: { decision: 'approve', scopes: scopes ?? preselected },
    });
    if (decided.status !== 200) throw new Error(`agreeing was answered ${JSON.stringify(decided.body)}`);
    return this.back(decided.body.redirectTo);
  }

  /** Goes where an OAuth client sends it, up to the page of the consent; gives the id of the consent. */
  async begin(authorization: string | URL): Promise<string> {
    const { status, headers, body } = await this.go('GET', String(authorization));
    const uid = /^\/console\/oauth\/([\w-]+)$/.exec(headers.get('location') ?? '')?.[1];
    if (status !== 303 || uid === undefined)
      throw new Error(
        `the request was answered ${status} ${headers.get('location')} ${JSON.stringify(body)}`,
      );
    return uid;
  }

  /** Goes on after a decision. */
  async back(redirectTo: string): Promise<URL> {
    const { status, headers, body } = await this.go('GET', redirectTo);
    const location = headers.get('location');
    if (status !== 303 || location === null)
      throw new Error(`going on was answered ${status} ${JSON.stringify(body)}`);
    return new URL(location);
  }

  private take(setCookie: string): void {
    const [pair = '', ...attributes] = setCookie.split('; ');
    const [name = '', value = ''] = pair.split('=', 2);
    const path = attributes.find((each) => /^path=/i.test(each))?.slice('path='.length) ?? '/';
    if (value === '') this.cookies.delete(`${name}@${path}`);
    else this.cookies.set(`${name}@${path}`, { value, path });
  }
}
