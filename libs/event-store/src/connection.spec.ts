import { EventStoreDBClient } from '@eventstore/db-client';
import { atFollower, Connection } from './connection';

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

describe('the connection string of a reader', () => {
  it.each([
    ['esdb://a:2113,b:2113,c:2113', 'esdb://a:2113,b:2113,c:2113?nodePreference=follower'],
    ['esdb://user:p%3Fw@a:2113,b:2113/', 'esdb://user:p%3Fw@a:2113,b:2113/?nodePreference=follower'],
    [
      'esdb+discover://store:2113?tls=false&nodePreference=leader&keepAliveTimeout=9',
      'esdb+discover://store:2113?tls=false&keepAliveTimeout=9&nodePreference=follower',
    ],
  ])('of %s is %s', (url, expected) => {
    expect(atFollower(url)).toBe(expected);
    expect(() => EventStoreDBClient.connectionString(atFollower(url))).not.toThrow();
  });
});
