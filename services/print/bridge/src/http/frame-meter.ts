const FINAL = 0x80;
const OPCODE = 0x0f;
/** From here on opcodes are of control frames, which may come in the midst of a message. */
const FIRST_CONTROL = 0x8;
const MASKED = 0x80;
const LENGTH = 0x7f;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** Follows the frames of a WebSocket connection (RFC 6455, 5.2) and tells what has come of a message that is not whole. */
export interface FrameMeter {
  /**
   * Payload of the message whose end has not come, and the control frames in its midst: the WebSocket keeps its parts
   * with the pieces in which they arrived, whatever else those hold.
   */
  readonly unfinished: number;
  /** Frames that have begun, of any kind. */
  readonly frames: number;
  /** Takes the next bytes; answers with the most that was unfinished on the way. */
  push(bytes: Uint8Array): number;
}

export function createFrameMeter(): FrameMeter {
  let head: number[] = [];
  let remaining = 0;
  let isControl = false;
  let isFinal = false;
  let unfinished = 0;
  let frames = 0;

  /** Whether the header is complete; then the payload begins. */
  function readHead(byte: number): boolean {
    head.push(byte);
    const [first = 0, second] = head;
    if (second === undefined) return false;
    const length = second & LENGTH;
    const extra = length === LENGTH_64 ? 8 : length === LENGTH_16 ? 2 : 0;
    if (head.length < 2 + extra + (second & MASKED ? 4 : 0)) return false;
    remaining = extra === 0 ? length : head.slice(2, 2 + extra).reduce((sum, part) => sum * 256 + part, 0);
    isControl = (first & OPCODE) >= FIRST_CONTROL;
    isFinal = (first & FINAL) !== 0;
    if (isControl && unfinished > 0) unfinished += head.length;
    head = [];
    frames++;
    return true;
  }

  return {
    get unfinished() {
      return unfinished;
    },
    get frames() {
      return frames;
    },
    push(bytes) {
      let most = unfinished;
      let inPayload = remaining > 0;
      for (let at = 0; at < bytes.length; ) {
        if (!inPayload) inPayload = readHead(bytes[at++] as number);
        if (!inPayload) continue;
        const taken = Math.min(remaining, bytes.length - at);
        at += taken;
        remaining -= taken;
        if (!isControl || unfinished > 0) unfinished += taken;
        most = Math.max(most, unfinished);
        if (remaining > 0) break;
        inPayload = false;
        if (isFinal && !isControl) unfinished = 0;
      }
      return most;
    },
  };
}
