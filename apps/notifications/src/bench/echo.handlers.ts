import { answer, type Answer, Handles } from '@carillon/bus';
import { Bench, SendNotification } from '@carillon/contracts';
import { Controller } from '@nestjs/common';

/** Answers at once with what it was given: the ceiling that the benchmark compares with. */
@Controller()
export class EchoHandlers {
  @Handles(Bench.echo)
  echo(input: SendNotification): Answer<SendNotification> {
    return answer(input);
  }
}
