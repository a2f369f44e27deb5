#!lua flags=no-writes
-- The counters and the state, for who reads a run without its epoch.
--
-- Reply: {'seen', packed counters, packed state, redone}; '' each where there is none
--@include head

return { 'seen', raw[1] or '', raw[4] or '', raw[8] or '' }
