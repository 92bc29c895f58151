import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';
import { StreamsService } from './protocol';

/**
 * gRPC hands out the next message of a call when the last one was written to the connection, in a later turn of the
 * event loop. For batch appends this does not wait, so that the answers to one commit go out together.
 */
export const answersTogether: ServerInterceptor = ({ path }, call) =>
  path === StreamsService.batchAppend.path ? new Unwaited(call) : new ServerInterceptingCall(call);

class Unwaited extends ServerInterceptingCall {
  override sendMessage(message: unknown, written: () => void): void {
    super.sendMessage(message, () => {});
    written();
  }
}
