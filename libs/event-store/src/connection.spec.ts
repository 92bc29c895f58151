import { Connection } from './connection';

describe('a client that is replaced while it is handed over', () => {
  it('is not taken for its successor, so that a read that its end cuts is known to be cut', async () => {
    // Nothing listens there, and nothing is asked of it.
    const connection = Connection.take('esdb://127.0.0.1:9?tls=false');
    const first = await connection.current();
    const handedOver = connection.current();
    // What failed with it comes between the choice of the client and whoever waits for that.
    void handedOver.then(({ generation }) => connection.replace(generation));
    const taken = await handedOver;
    expect(taken).toEqual(first);
    expect(connection.generation).toBe(taken.generation + 1);
    expect((await connection.current()).client).not.toBe(first.client);
    await connection.release();
  });
});
