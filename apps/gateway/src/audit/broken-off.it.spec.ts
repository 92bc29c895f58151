import { Controller, Get, StreamableFile } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Readable } from 'node:stream';
import { csvParts } from './csv-parts';

@Controller()
class Exports {
  @Get('/export')
  export(): StreamableFile {
    async function* batches() {
      yield [];
      throw new Error('the service is away');
    }
    return new StreamableFile(Readable.from(csvParts(batches(), 1)), { type: 'text/csv' });
  }
}

describe('an export whose service goes away under way', () => {
  let app: NestFastifyApplication;
  beforeAll(async () => {
    app = await NestFactory.create<NestFastifyApplication>(
      { module: class {}, controllers: [Exports] },
      new FastifyAdapter(),
      { logger: false },
    );
    await app.listen(0, '127.0.0.1');
  });
  afterAll(() => app.close());

  it('looked like a whole one: the connection breaks before its end', async () => {
    const answer = await fetch(`${await app.getUrl()}/export`);
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });
});
