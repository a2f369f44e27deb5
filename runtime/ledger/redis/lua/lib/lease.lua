-- The lease row, and the clock of this server, read once (L1, L4).

local time = redis.call('TIME')
local nowMs = time[1] * 1000 + floor(time[2] / 1000)
local lease = redis.call('HMGET', LEASE, 'holder', 'epoch', 'renewals', 'untilMs', 'address', 'process')
local isThere = lease[1] ~= false
local there = { holder = lease[1], epoch = tonumber(lease[2] or -1), renewals = tonumber(lease[3] or 0), untilMs = tonumber(lease[4] or 0) }

-- holder, epoch, renewals, untilMs, address, process; nothing where there is no row
local function leaseReply()
  if not isThere then return {} end
  return { there.holder, there.epoch, there.renewals, there.untilMs, lease[5], lease[6] }
end

local function putLease(holder, ofEpoch, renewals, untilMs)
  there.holder, there.epoch, there.renewals, there.untilMs, isThere = holder, ofEpoch, renewals, untilMs, true
  plan('HSET', LEASE, 'holder', holder, 'epoch', ofEpoch, 'renewals', renewals, 'untilMs', string.format('%.0f', untilMs), 'address', lease[5], 'process', lease[6])
end
