import { answer, type Answer, Handles } from '@carillon/bus';
import { Bench, SendNotification } from '@carillon/contracts';
import { Controller } from '@nestjs/common';

/** Answers at once with its input: the upper bound that the benchmark compares with. */
@Controller()
export class EchoHandlers {
  @Handles(Bench.echo)
  echo(input: SendNotification): Answer<SendNotification> {
    return answer(input);
  }
}
