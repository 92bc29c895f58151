import { join } from 'node:path';
import type { Children } from '../child';
import type { Ports } from '../ports';

export interface LinksOptions {
  readonly checkout: string;
  readonly children: Children;
  readonly ports: Ports;
}

/**
 * Ways to the parts, each a process of its own. Whoever freezes one cuts those off that go through it: their
 * connections stay open, and nothing comes through.
 */
export class Links {
  private readonly hosts = new Map<string, string>();

  constructor(private readonly options: LinksOptions) {}

  /** Starts the process `link-<part>`, which leads to where this URL does. */
  async open(part: 'postgres' | 'nats' | 'event-store', url: string): Promise<void> {
    const { checkout, children, ports } = this.options;
    const { host } = new URL(url);
    const port = String(await ports.any(`link to ${part}`));
    await children.start({
      part: `link-${part}`,
      command: process.execPath,
      args: [join(checkout, 'dist/apps/standalone/src/cluster/link.js'), port, host],
      isReady: (output) => output.includes('link ready'),
    });
    // Not by its address: Node 26 refuses one as the server name of TLS.
    this.hosts.set(host, `localhost:${port}`);
  }

  /** The same URL by its link. */
  through(url: string): string {
    const linked = new URL(url);
    linked.host = this.hosts.get(linked.host) ?? linked.host;
    return linked.href;
  }
}
