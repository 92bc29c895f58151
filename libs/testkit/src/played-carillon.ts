import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { portOf } from './port';
import { stoppable } from './stoppable';

export interface PlayedQuestion {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test says itself what it looks for
  readonly body: any;
}

export interface PlayedAnswer {
  readonly status: number;
  readonly body: unknown;
}

export const played = (status: number, body: unknown): PlayedAnswer => ({ status, body });

type PlayedReply = PlayedAnswer | 'hang' | 'cut';

/** Carillon as a program elsewhere sees it, for what the real one does only when it is broken. */
export class PlayedCarillon {
  readonly asked: PlayedQuestion[] = [];
  readonly stop: () => Promise<void>;

  private constructor(
    private readonly server: Server,
    /** What it says to a question; the test changes its mind. */
    public answer: (question: PlayedQuestion) => PlayedReply,
  ) {
    this.stop = stoppable(server);
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      const { method = '', url: path = '', headers } = request;
      const question = { method, path, headers, body: text ? JSON.parse(text) : undefined };
      this.asked.push(question);
      const told = this.answer(question);
      if (told === 'hang') return;
      if (told === 'cut') {
        request.socket.destroy();
        return;
      }
      response.writeHead(told.status, { 'content-type': 'application/json' }).end(JSON.stringify(told.body));
    });
  }

  static async start(answer: PlayedCarillon['answer']): Promise<PlayedCarillon> {
    const played = new PlayedCarillon(createServer(), answer);
    played.server.listen(0, '127.0.0.1');
    await once(played.server, 'listening');
    return played;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.server)}`;
  }

  /** The questions of one kind, by how their path ends. */
  about(end: string): PlayedQuestion[] {
    return this.asked.filter(({ path }) => path.endsWith(end));
  }

  /** The questions to the Agent API with this method, by how their path begins. */
  to(method: string, begin: string): PlayedQuestion[] {
    return this.asked.filter((each) => each.method === method && each.path.startsWith(`/api/agent${begin}`));
  }
}
