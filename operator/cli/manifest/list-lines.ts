const LINE_FEED = 0x0a;

/** Cuts bytes into lines as they come. A line that is longer than it may be is null, and takes no memory. */
export class LineSplitter {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that end within these bytes, without their line feeds. */
  push(bytes: Uint8Array): readonly (Uint8Array | null)[] {
    const lines: (Uint8Array | null)[] = [];
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, from)) {
      this.#keep(bytes.subarray(from, end));
      lines.push(this.#line());
      from = end + 1;
    }
    this.#keep(bytes.subarray(from));
    return lines;
  }

  /** The last line, which may lack its line feed. */
  end(): readonly (Uint8Array | null)[] {
    return this.#bytes === 0 ? [] : [this.#line()];
  }

  #keep(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#maxBytes) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #line(): Uint8Array | null {
    const line = this.#bytes > this.#maxBytes ? null : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return line;
  }
}
