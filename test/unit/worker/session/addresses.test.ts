import test from 'ava';
import { addressesOf, currentAddress, onUnreached } from '../../../../runtime/worker/session/addresses.ts';

test('the addresses are tried in turn, again and again', (t) => {
  let addresses = addressesOf(['a:1', 'b:2']);
  const tried = [1, 2, 3].map(() => {
    const address = currentAddress(addresses);
    addresses = onUnreached(addresses, null);
    return address;
  });
  t.deepEqual(tried, ['a:1', 'b:2', 'a:1']);
});

test('the primary that a passive coordinator names is tried next, though it is on no list', (t) => {
  const told = onUnreached(addressesOf(['a:1', 'b:2']), 'c:3');
  t.is(currentAddress(told), 'c:3');
  t.is(currentAddress(onUnreached(told, null)), 'b:2', 'it did not answer: on with the list');
});

test('a coordinator that names itself is not believed', (t) => {
  t.is(currentAddress(onUnreached(addressesOf(['a:1', 'b:2']), 'a:1')), 'b:2');
});

test('before a parent has told any there is none, however often the next one is asked for', (t) => {
  t.is(currentAddress(addressesOf([])), null);
  t.is(currentAddress(onUnreached(addressesOf([]), null)), null);
});

test('a primary that hangs is tried once in a round of the list, though every passive coordinator names it', (t) => {
  let addresses = addressesOf(['a:1', 'b:2', 'c:3']);
  const tried: (string | null)[] = [];
  for (let n = 0; n < 7; n++) {
    const address = currentAddress(addresses);
    tried.push(address);
    addresses = onUnreached(addresses, address === 'a:1' ? null : 'a:1');
  }
  t.deepEqual(tried, ['a:1', 'b:2', 'c:3', 'a:1', 'b:2', 'c:3', 'a:1']);
});

test('a primary that is on no list is asked again in the next round', (t) => {
  let addresses = addressesOf(['a:1']);
  const tried: (string | null)[] = [];
  for (let n = 0; n < 4; n++) {
    const address = currentAddress(addresses);
    tried.push(address);
    addresses = onUnreached(addresses, address === 'c:3' ? null : 'c:3');
  }
  t.deepEqual(tried, ['a:1', 'c:3', 'a:1', 'c:3']);
});

test('what was told and did not answer is not what the list has next', (t) => {
  const told = onUnreached({ ...addressesOf(['a:1', 'b:2', 'c:3']), position: 2 }, 'a:1');
  t.is(currentAddress(told), 'a:1');
  t.is(currentAddress(onUnreached(told, null)), 'b:2');
});
