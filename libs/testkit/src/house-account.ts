import type { HouseAnswer, HouseRequest } from './house-call';

export interface HousePhone {
  readonly id: string;
  readonly platform: 'ios' | 'android' | 'web';
  readonly deviceId: string;
}

/** What a person's calls go to. */
interface Called {
  readonly state: { readonly baseUrl: string };
  http(method: string, path: string, given?: HouseRequest, by?: string): Promise<HouseAnswer>;
  simulator(method: string, path: string, body?: unknown): Promise<HouseAnswer>;
}

/** One account of a running house: what a person and their agent can do. */
export class HouseAccount {
  private accessToken: string | undefined;

  constructor(
    private readonly house: Called,
    readonly id: string,
    readonly email: string,
    readonly password: string,
    readonly apiToken: string,
  ) {}

  /** The Agent API; the path without `/api/agent`. */
  api(method: string, path: string, given: HouseRequest = {}): Promise<HouseAnswer> {
    const token = given.token === undefined ? this.apiToken : given.token;
    return this.house.http(method, `/api/agent${path}`, { ...given, token }, this.id);
  }

  /** The Session API as the app; the path without `/api/session`. Signs in when needed, once more when it has to. */
  async session(method: string, path: string, given: HouseRequest = {}): Promise<HouseAnswer> {
    const call = async (): Promise<HouseAnswer> =>
      this.house.http(
        method,
        `/api/session${path}`,
        {
          ...given,
          token: given.token === undefined ? (this.accessToken ??= await this.signIn()) : given.token,
        },
        this.id,
      );
    const first = await call();
    if (first.status !== 401 || given.token !== undefined) return first;
    this.accessToken = undefined;
    return call();
  }

  /** A new family of this account, with these in it. Gives its id. */
  async family(...others: readonly HouseAccount[]): Promise<string> {
    const made = await this.api('POST', '/teams', { body: { kind: 'family', name: 'Home' } });
    if (made.status !== 201) throw new Error(`making a family was answered ${JSON.stringify(made.body)}`);
    for (const other of others) await this.takeInto(made.body.team.id, other);
    return made.body.team.id;
  }

  /** Takes somebody into a team of this account, by an invite that they accept. */
  async takeInto(teamId: string, newcomer: HouseAccount, role?: 'admin' | 'member'): Promise<void> {
    const invited = await this.api('POST', `/teams/${teamId}/invites`, { body: { ...(role && { role }) } });
    if (invited.status !== 201) throw new Error(`inviting was answered ${JSON.stringify(invited.body)}`);
    const accepted = await newcomer.session('POST', `/invites/${invited.body.code}/accept`, { body: {} });
    if (accepted.status !== 200) throw new Error(`accepting was answered ${JSON.stringify(accepted.body)}`);
  }

  /** A new app session; returns its access token. */
  async signIn(): Promise<string> {
    return (await this.signInFully()).accessToken;
  }

  /** Another phone of this account. */
  async addPhone(
    platform: 'ios' | 'android' | 'web',
    settings: { name?: string; liveActivities?: boolean; interactiveLiveActivities?: boolean } = {},
  ): Promise<HousePhone> {
    const { accessToken, refreshToken } = await this.signInFully();
    const answer = await this.house.simulator('POST', '/phones', {
      platform,
      ...settings,
      pair: { baseUrl: this.house.state.baseUrl, accessToken, refreshToken },
    });
    if (answer.status !== 201) throw new Error(`a phone was not taken: ${JSON.stringify(answer.body)}`);
    const { id, deviceId } = answer.body.phone;
    return { id, platform, deviceId };
  }

  private async signInFully(): Promise<{ accessToken: string; refreshToken: string }> {
    const { email, password } = this;
    const answer = await this.house.http('POST', '/api/session/login/password', {
      body: { email, password, client: 'app' },
    });
    if (answer.status !== 200)
      throw new Error(`signing in was answered ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}
