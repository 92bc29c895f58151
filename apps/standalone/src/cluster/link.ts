// node link.js <port> <host:port>: passes the bytes of every connection on, both ways. Frozen, it is a network that
// lets nothing through and closes nothing.
import { connect, createServer, type Socket } from 'node:net';

const [port, target] = process.argv.slice(2);
const { hostname: host, port: targetPort } = new URL(`tcp://${target}`);

const end = (...sockets: readonly Socket[]): void => sockets.forEach((socket) => socket.destroy());

createServer({ noDelay: true }, (from) => {
  const to = connect({ host, port: Number(targetPort), noDelay: true });
  for (const socket of [from, to]) socket.on('error', () => end(from, to)).on('close', () => end(from, to));
  from.pipe(to).pipe(from);
}).listen(Number(port), '127.0.0.1', () => console.log('link ready'));
