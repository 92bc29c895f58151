import { Connection } from './connection';

describe('a client that is replaced while a call gets it', () => {
  it('keeps its own number, so that a read cut by its end counts as interrupted', async () => {
    // No server listens there, and no request is sent.
    const connection = Connection.take('esdb://127.0.0.1:9?tls=false', 'own');
    const first = await connection.current();
    const handedOver = connection.current();
    // The failure comes between the choice of the client and the caller that awaits it.
    void handedOver.then(({ generation }) => connection.replace(generation));
    const taken = await handedOver;
    expect(taken).toEqual(first);
    expect(connection.generation).toBe(taken.generation + 1);
    expect((await connection.current()).client).not.toBe(first.client);
    await connection.release();
  });
});
