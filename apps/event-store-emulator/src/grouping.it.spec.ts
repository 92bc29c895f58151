import { randomUUID } from 'node:crypto';
import { connect } from 'node:http2';
import { open } from 'lmdb';
import { startEmulator, type Emulator } from './emulator';
import { google, shared, streams, StreamsService } from './protocol';
import { temporaryFolder, until } from './testbed';

/** An append of one event as a gRPC message. */
function append(): Buffer {
  const uuid = () => new shared.UUID().setString(randomUUID());
  const options = new streams.BatchAppendReq.Options().setNoStream(new google.Empty());
  options.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(randomUUID())));
  const event = new streams.BatchAppendReq.ProposedMessage().setId(uuid()).setData(Buffer.from('{}'));
  event.getMetadataMap().set('type', 'Happened').set('content-type', 'application/json');
  const request = new streams.BatchAppendReq().setOptions(options).setIsFinal(true);
  request.setCorrelationId(uuid());
  request.addProposedMessages(event);
  const bytes = request.serializeBinary();
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

describe('appends that come together', () => {
  const folder = temporaryFolder();
  let emulator: Emulator;
  beforeAll(async () => {
    emulator = await startEmulator({ dataDir: folder.path });
  });
  afterAll(async () => {
    await emulator?.close();
    folder.remove();
  });

  it('are one commit, and their answers are read together', async () => {
    const log = open({ path: folder.path, noSubdir: false, readOnly: true });
    const commits = () => (log.getStats() as { lastTxnId: number }).lastTxnId;
    const session = connect(`http://127.0.0.1:${emulator.port}`);
    const call = session.request({
      ':method': 'POST',
      ':path': StreamsService.batchAppend.path,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    call.on('error', () => {});
    let answered = 0;
    let reads = 0;
    call.on('data', (chunk: Buffer) => {
      reads += 1;
      for (let at = 0; at < chunk.length; at += 5 + chunk.readUInt32BE(at + 1)) answered += 1;
    });
    call.write(append());
    await until(() => answered === 1);
    const before = commits();
    reads = 0;
    call.write(Buffer.concat(Array.from({ length: 64 }, append)));
    await until(() => answered === 65);
    expect(commits() - before).toBe(1);
    // The first by itself, as nothing is being written then, and all others.
    expect(reads).toBeLessThanOrEqual(2);
    session.destroy();
    await log.close();
  });
});
