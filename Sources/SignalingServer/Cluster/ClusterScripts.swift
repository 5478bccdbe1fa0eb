/// What Redis does in one step, in Lua; the keys that they touch begin with `ClusterKeys.prefix`.
///
/// A seat, or a place in an open room, holds the JSON of a `RemoteMember`. It is free where its node's heartbeat is
/// over, taken over by who has the same key, and given away where its holder's connection is lost.
enum ClusterScripts {
    /// Claims one of a room's two seats.
    ///
    /// KEYS: the seat, the other seat. ARGV: node, value, milliseconds to live, key hash, prefix of heartbeats,
    /// whether to leave it to whoever has it on another server.
    /// Returns {1, whom it was taken from or nil, who is in the other seat or nil}, or {0, the other or nil, who
    /// has the seat}.
    static let claimSeat = """
        local function holder(text)
          if not text then return nil end
          local ok, member = pcall(cjson.decode, text)
          if not ok or type(member) ~= 'table' or type(member.node) ~= 'string' then return nil end
          if member.node ~= ARGV[1] and redis.call('EXISTS', ARGV[5] .. member.node) == 0 then return nil end
          return member
        end
        local function other()
          local text = redis.call('GET', KEYS[2])
          return holder(text) and text or false
        end
        if redis.call('SET', KEYS[1], ARGV[2], 'NX', 'PX', ARGV[3]) then return {1, false, other()} end
        local text = redis.call('GET', KEYS[1])
        local member = holder(text)
        local old = false
        if member and member.node ~= ARGV[1] then
          local isSame = member.key and member.key == ARGV[4]
          if ARGV[6] == '1' or not isSame and not member.lost then return {0, other(), text} end
          old = text
        end
        redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
        return {1, old, other()}
        """

    /// Takes a place in an open room.
    ///
    /// KEYS: the room. ARGV: node, value, milliseconds to live, key hash, prefix of heartbeats, socket, capacity,
    /// role. Returns {1, whose place was taken or nil, the others …}, or {0} where there is none.
    static let claimPlace = """
        local old = false
        local others = {}
        local all = redis.call('HGETALL', KEYS[1])
        for i = 1, #all, 2 do
          local ok, member = pcall(cjson.decode, all[i + 1])
          local isAlive = ok and type(member) == 'table' and type(member.node) == 'string'
            and (member.node == ARGV[1] or redis.call('EXISTS', ARGV[5] .. member.node) == 1)
          if not isAlive then
            redis.call('HDEL', KEYS[1], all[i])
          elseif all[i] ~= ARGV[6] then
            local isReturning = member.node ~= ARGV[1] and member.key and member.key == ARGV[4]
            if isReturning and not old then
              redis.call('HDEL', KEYS[1], all[i])
              old = all[i + 1]
            else
              others[#others + 1] = all[i + 1]
            end
          end
        end
        if #others >= tonumber(ARGV[7]) then return {0} end
        redis.call('HSET', KEYS[1], ARGV[6], ARGV[2])
        redis.call('PEXPIRE', KEYS[1], ARGV[3])
        return {1, old, unpack(others)}
        """

    /// Gives a seat back, if it is still that socket's.
    ///
    /// KEYS: the seat. ARGV: socket. Returns whether it was.
    static let releaseSeat = """
        local text = redis.call('GET', KEYS[1])
        if not text then return 0 end
        local ok, member = pcall(cjson.decode, text)
        if not ok or type(member) ~= 'table' or member.sid ~= ARGV[1] then return 0 end
        return redis.call('DEL', KEYS[1])
        """

    /// Marks a seat as that of somebody whose connection is lost.
    ///
    /// KEYS: the seat. ARGV: socket.
    static let loseSeat = """
        local text = redis.call('GET', KEYS[1])
        if not text then return 0 end
        local ok, member = pcall(cjson.decode, text)
        if not ok or type(member) ~= 'table' or member.sid ~= ARGV[1] then return 0 end
        member.lost = true
        redis.call('SET', KEYS[1], cjson.encode(member), 'KEEPTTL')
        return 1
        """
}
