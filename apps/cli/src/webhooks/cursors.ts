import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where `webhooks listen` goes on after it was ended: a file for each webhook. */
export class Cursor {
  private readonly file: string;

  constructor(
    folder: string,
    private readonly url: string,
    webhookId: string,
  ) {
    this.file = join(folder, 'cursors', `${webhookId}.json`);
  }

  /** Undefined before the first message, and where the file is of another installation. */
  read(): number | undefined {
    let text: string;
    try {
      text = readFileSync(this.file, 'utf8');
    } catch {
      return undefined;
    }
    // A file that is there and cannot be read is an error: to begin anew could leave out messages.
    const { url, after } = JSON.parse(text) as { url?: unknown; after?: unknown };
    if (url !== this.url) return undefined;
    if (!Number.isSafeInteger(after)) throw new Error(`${this.file} has no number`);
    return Number(after);
  }

  write(after: number): void {
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
    const fresh = `${this.file}.${process.pid}`;
    writeFileSync(fresh, `${JSON.stringify({ url: this.url, after })}\n`, { mode: 0o600 });
    renameSync(fresh, this.file);
  }
}
