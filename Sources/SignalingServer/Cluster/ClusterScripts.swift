/// The Lua scripts that Redis runs atomically; their keys begin with `ClusterKeys.prefix`.
///
/// A seat is a member's entry in a room: a key for each role, or a field in the hash of an open room. Its
/// value is the JSON of a `RemoteMember`. A seat with any other value is free, and so is one whose server's
/// heartbeat has expired. A client with the same key can take over its seat from another server; the seat of
/// a member with a lost connection is granted to the next client. Times are those of Redis, so that the
/// servers' clocks need not agree.
///
/// A server that stops sets its last heartbeat to "0": its members with a key are then treated as if they had
/// lost their connections, and its other seats are free. The key `…:stopped` outlives the seats, so that no
/// client waits for the server.
///
/// The first elements of ARGV are the same in all scripts: the server's id, the prefix of heartbeat keys, and
/// whether a server without a heartbeat is treated as failed ("1").
enum ClusterScripts {
    private static let common = """
        local function read(text)
          if not text then return nil end
          local ok, member = pcall(cjson.decode, text)
          if ok and type(member) == 'table' and type(member.node) == 'string' then return member end
          return nil
        end
        local function ask(...)
          local answer = redis.pcall(...)
          if type(answer) ~= 'table' or not answer.err then return answer end
          if string.find(answer.err, 'WRONGTYPE', 1, true) then return false, true end
          return redis.call(...)
        end
        local function living(text)
          local member = read(text)
          if not member or member.node == ARGV[1] then return member end
          local key = ARGV[2] .. member.node
          local sign = ask('GET', key)
          if sign == '0' then
            member.lost = true
            return member.key and member or nil
          end
          if sign then return member end
          if ARGV[3] == '1' or redis.call('EXISTS', key .. ':stopped') == 1 then return nil end
          return member
        end
        local function holder(key)
          local text = ask('GET', key)
          local member = living(text)
          if not member then return false, nil end
          return text, member
        end
        local function seat(key) return (holder(key)) end
        local function since(member)
          local time = tonumber(member.since) or 0
          return time >= 0 and time < 2 ^ 53 and time or 0
        end
        local function now()
          local time = redis.call('TIME')
          return time[1] * 1000 + math.floor(time[2] / 1000)
        end

        """

    /// Claims one of a room's two seats.
    ///
    /// KEYS: the seat, the other seat. ARGV: …, the member, the lifetime in milliseconds, whether the claim
    /// is repeated, the member's age in milliseconds, whether to refuse the claim if the seat has no value. A
    /// repeated claim takes the seat from another server only if an earlier connection of the same client
    /// holds it. Returns {1, since, the previous holder or nil, the other seat's holder or nil}, or {0, the
    /// other seat's holder or nil, this seat's holder or nil}.
    static let claimSeat =
        common + """
            local mine = cjson.decode(ARGV[4])
            mine.since = now() - ARGV[7]
            local text, member = holder(KEYS[1])
            local old = false
            if ARGV[8] == '1' and redis.call('EXISTS', KEYS[1]) == 0 then return {0, seat(KEYS[2]), false} end
            if member and member.sid == mine.sid then
              if ARGV[6] == '1' and since(member) > 0 then mine.since = since(member) end
            elseif member and member.node ~= ARGV[1] then
              local isSame = member.key and member.key == mine.key
              local isMine
              if ARGV[6] == '1' then
                isMine = isSame and mine.since > since(member)
              else
                isMine = isSame or member.lost
              end
              if not isMine then return {0, seat(KEYS[2]), text} end
              old = text
            end
            redis.call('SET', KEYS[1], cjson.encode(mine), 'PX', ARGV[5])
            return {1, mine.since, old, seat(KEYS[2])}
            """

    /// Claims an entry in an open room.
    ///
    /// KEYS: the room. ARGV: …, the member, the lifetime in milliseconds, whether the claim is repeated, the
    /// member's age in milliseconds, 0, capacity. Returns {1, since, the replaced member or nil, the others
    /// …}; {0, nil, the holder} if the claim is repeated, and a newer connection of the same client is on
    /// another server; or {0} if the room is full.
    static let claimPlace =
        common + """
            local mine = cjson.decode(ARGV[4])
            mine.since = now() - ARGV[7]
            local own = read(ask('HGET', KEYS[1], mine.sid))
            if own and ARGV[6] == '1' and since(own) > 0 then mine.since = since(own) end
            local old, oldSocket = false, false
            local others = {}
            local all, isOther = ask('HGETALL', KEYS[1])
            if isOther then
              redis.call('DEL', KEYS[1])
              all = {}
            end
            for i = 1, #all, 2 do
              local member = living(all[i + 1])
              if not member then
                redis.call('HDEL', KEYS[1], all[i])
              elseif all[i] ~= mine.sid then
                local isSame = member.node ~= ARGV[1] and member.key and member.key == mine.key
                if isSame and ARGV[6] == '1' and since(member) >= mine.since then return {0, false, all[i + 1]} end
                if isSame and not old then
                  old, oldSocket = all[i + 1], all[i]
                else
                  others[#others + 1] = all[i + 1]
                end
              end
            end
            if #others >= tonumber(ARGV[9]) then return {0} end
            if old then redis.call('HDEL', KEYS[1], oldSocket) end
            redis.call('HSET', KEYS[1], mine.sid, cjson.encode(mine))
            redis.call('PEXPIRE', KEYS[1], ARGV[5])
            return {1, mine.since, old, unpack(others)}
            """

    /// Releases a seat if the given socket still holds it.
    ///
    /// KEYS: the seat, the other seat. ARGV: …, the socket's id. Returns {whether the socket held the seat,
    /// the other seat's holder or nil, this seat's holder or nil}.
    static let releaseSeat =
        common + """
            local text, member = holder(KEYS[1])
            if not member or member.sid ~= ARGV[4] then return {0, seat(KEYS[2]), text} end
            redis.call('DEL', KEYS[1])
            return {1, seat(KEYS[2]), false}
            """

    /// Releases a socket's entry in an open room.
    ///
    /// KEYS: the room. ARGV: …, the socket's id, the key hash. Returns {whether the entry existed, a member
    /// on another server or nil, a member on another server with the same key or nil}.
    static let releasePlace =
        common + """
            local other, same = false, false
            local had = ask('HDEL', KEYS[1], ARGV[4]) or 0
            for _, text in ipairs(ask('HVALS', KEYS[1]) or {}) do
              local member = living(text)
              if member and member.node ~= ARGV[1] then
                other = text
                if member.key and member.key == ARGV[5] then same = text end
              end
            end
            return {had, other, same}
            """

    /// Marks the connection of a seat's holder as lost.
    ///
    /// KEYS: the seat. ARGV: …, the socket's id.
    static let loseSeat =
        common + """
            local member = read(ask('GET', KEYS[1]))
            if not member or member.sid ~= ARGV[4] then return 0 end
            member.lost = true
            redis.call('SET', KEYS[1], cjson.encode(member), 'KEEPTTL')
            return 1
            """

    /// Sets a server's heartbeat.
    ///
    /// The heartbeat is set by a script, as claims are, so that Redis refuses either both or neither. KEYS:
    /// the heartbeat. ARGV: …, lifetime in milliseconds. Returns whether the previous heartbeat had not
    /// expired.
    static let live = """
        local was = redis.call('EXISTS', KEYS[1])
        redis.call('SET', KEYS[1], 1, 'PX', ARGV[4])
        return was
        """
}
