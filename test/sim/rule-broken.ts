/** A checker saw a rule broken; `rule` is its number, or a word for what every world has to do. */
export class RuleBroken extends Error {
  override readonly name = 'RuleBroken';
  readonly rule: string;

  constructor(rule: string, message: string) {
    super(message);
    this.rule = rule;
  }
}
