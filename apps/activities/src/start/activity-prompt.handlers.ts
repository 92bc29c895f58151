import { Audience } from '@carillon/push-client';
import { answer, type Answer, type Context, Handles } from '@carillon/bus';
import { Activities, AdmitPrompt, type AdmittedPrompt } from '@carillon/contracts';
import { Clock, metadataOf } from '@carillon/runtime';
import { deriveId } from '@carillon/signing';
import { Controller, Inject } from '@nestjs/common';
import { askedProps } from '../activity/props';
import type { Admission } from '../board/board';
import { Starter } from '../admission/starter.service';

/**
 * Reserves capacity for activities that show prompts: each is admitted before its prompt is asked, and begins once it
 * is.
 */
@Controller()
export class ActivityPromptHandlers {
  constructor(
    @Inject(Clock) private readonly clock: Clock,
    @Inject(Starter) private readonly starter: Starter,
    @Inject(Audience) private readonly audience: Audience,
  ) {}

  @Handles(Activities.admit)
  async admit(input: AdmitPrompt, context: Context): Promise<Answer<AdmittedPrompt>> {
    const { accountId, tokenId = '' } = context.caller;
    const id = deriveId('act', this.clock.ms(), Activities.admit.subject, input.prompt.id);
    const before = (await this.starter.admission(accountId, id)) ?? (await this.starter.find(id));
    if (before) return answer(admittedAs(before));
    const { guests, ...reached } = await this.audience.ofActivity(input, context, input.urgent ?? false);
    const { title, text, imageUrl, url, prompt, sourceName, expiresAt } = input;
    const { admission, position } = await this.starter.admit(
      {
        activityId: id,
        accountId,
        tokenId,
        sourceName,
        key: null,
        replace: false,
        props: askedProps({
          title,
          text,
          ...(imageUrl !== undefined && { imageUrl }),
          ...(url !== undefined && { url }),
        }),
        prompt: { ...prompt },
        ...reached,
        fingerprint: null,
        expiresAt,
        at: this.clock.now(),
      },
      guests,
      metadataOf(context),
    );
    return answer(admittedAs(admission), position);
  }
}

const admittedAs = ({
  activityId,
  deviceIds,
  quietDeviceIds,
  recipients,
}: Pick<Admission, 'activityId' | 'deviceIds' | 'quietDeviceIds' | 'recipients'>): AdmittedPrompt => ({
  activityId,
  deviceIds: [...deviceIds],
  ...(recipients && { recipients: [...recipients] }),
  queued: deviceIds.length,
  ...(quietDeviceIds && { quiet: quietDeviceIds.length }),
});
