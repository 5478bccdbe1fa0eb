#include "include/CPhone.h"

#include <phonenumbers/asyoutypeformatter.h>
#include <phonenumbers/phonenumber.pb.h>
#include <phonenumbers/phonenumberutil.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <list>
#include <memory>
#include <set>
#include <string>

using i18n::phonenumbers::AsYouTypeFormatter;
using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

namespace {

// Longer numbers are no phone numbers; libphonenumber accepts 17 digits.
constexpr size_t maximumDigits = 20;
constexpr size_t maximumText = 250;
const std::string unknownRegion = "ZZ";

PhoneNumberUtil &util() { return *PhoneNumberUtil::GetInstance(); }

long write(const std::string &text, char *buffer, size_t size) {
    if (text.empty() || text.size() >= size) return -1;
    memcpy(buffer, text.c_str(), text.size() + 1);
    return static_cast<long>(text.size());
}

// The ASCII digits of a text, as many as a number may have.
std::string digitsOf(const char *text) {
    std::string digits;
    for (; *text && digits.size() < maximumDigits; ++text)
        if (*text >= '0' && *text <= '9') digits.push_back(*text);
    return digits;
}

std::string international(int32_t code, const std::string &digits) { return "+" + std::to_string(code) + digits; }

// Parses a number; `region` is that of numbers without a calling code.
bool parse(const std::string &text, const std::string &region, PhoneNumber &number) {
    return util().Parse(text, region, &number) == PhoneNumberUtil::NO_PARSING_ERROR;
}

std::string example(const std::string &region) {
    PhoneNumber number;
    if (!util().GetExampleNumberForType(region, PhoneNumberUtil::MOBILE, &number) &&
        !util().GetExampleNumber(region, &number))
        return "";
    std::string digits;
    util().GetNationalSignificantNumber(number, &digits);
    return digits;
}

std::string mainRegion(int32_t code) {
    std::string region;
    util().GetRegionCodeForCountryCode(code, &region);
    return region == unknownRegion || region == "001" ? "" : region;
}

// Parses a number whose missing digits are those of an example of `region`.
bool complete(int32_t code, const std::string &digits, const std::string &region, PhoneNumber &number) {
    std::string text = digits, rest = example(region);
    if (digits.size() < rest.size()) text += rest.substr(digits.size());
    return parse(international(code, text), unknownRegion, number);
}

std::string regionOf(int32_t code, const std::string &digits, const std::string &hint) {
    std::list<std::string> regions;
    util().GetRegionCodesForCountryCallingCode(code, &regions);
    const std::string main = mainRegion(code);
    if (regions.empty() || main.empty()) return "";
    const bool isHinted = std::find(regions.begin(), regions.end(), hint) != regions.end();
    if (regions.size() == 1 || digits.empty()) return isHinted ? hint : main;
    PhoneNumber number;
    if (isHinted) {
        // An area code has three digits where several regions share a calling code.
        if (hint != main && digits.size() < 3) return hint;
        if (complete(code, digits, hint, number) && util().IsValidNumberForRegion(number, hint)) return hint;
    }
    // The main region is the first one.
    for (const std::string &region : regions) {
        std::string found;
        if (!complete(code, digits, region, number)) continue;
        util().GetRegionCodeForNumber(number, &found);
        if (found == region) return region;
    }
    return isHinted ? hint : main;
}

// Calls `body`; no exception may leave a C function, and only memory that runs out throws one.
template <typename Result, typename Body>
Result guarded(Result fallback, Body body) {
    try {
        return body();
    } catch (const std::exception &) {
        return fallback;
    }
}

}  // namespace

void callrunner_phone_regions(void *context, void (*visit)(void *, const char *, int32_t)) {
    guarded(false, [&] {
        std::set<std::string> regions;
        util().GetSupportedRegions(&regions);
        for (const std::string &region : regions)
            visit(context, region.c_str(), util().GetCountryCodeForRegion(region));
        return true;
    });
}

long callrunner_phone_main_region(int32_t code, char *buffer, size_t size) {
    return guarded(-1L, [&] { return write(mainRegion(code), buffer, size); });
}

long callrunner_phone_region(int32_t code, const char *digits, const char *hint, char *buffer, size_t size) {
    return guarded(-1L, [&] { return write(regionOf(code, digitsOf(digits), hint), buffer, size); });
}

long callrunner_phone_mask(int32_t code, const char *digits, size_t *cursor, char *buffer, size_t size) {
    return guarded(-1L, [&] {
        const std::string national = digitsOf(digits), prefix = "+" + std::to_string(code);
        const std::unique_ptr<AsYouTypeFormatter> formatter(util().GetAsYouTypeFormatter(unknownRegion));
        std::string text;
        for (char character : prefix) formatter->InputDigit(character, &text);
        for (size_t index = 0; index < national.size(); ++index) {
            if (index + 1 == *cursor)
                formatter->InputDigitAndRememberPosition(national[index], &text);
            else
                formatter->InputDigit(national[index], &text);
        }
        const bool hasPlace = *cursor > 0 && *cursor <= national.size();
        const size_t place = hasPlace ? static_cast<size_t>(formatter->GetRememberedPosition()) : 0;
        // The calling code has a place of its own.
        size_t start = std::min(prefix.size(), text.size());
        while (start < text.size() && text[start] == ' ') ++start;
        const std::string masked = text.substr(start);
        *cursor = std::min(place > start ? place - start : 0, masked.size());
        if (!masked.empty()) return write(masked, buffer, size);
        if (size > 0) buffer[0] = 0;
        return 0L;
    });
}

long callrunner_phone_example(const char *region, char *buffer, size_t size) {
    return guarded(-1L, [&] { return write(example(region), buffer, size); });
}

bool callrunner_phone_is_possible(int32_t code, const char *digits) {
    return guarded(false, [&] {
        PhoneNumber number;
        return parse(international(code, digitsOf(digits)), unknownRegion, number) && number.country_code() == code &&
               util().IsPossibleNumber(number);
    });
}

bool callrunner_phone_is_too_long(int32_t code, const char *digits) {
    return guarded(false, [&] {
        PhoneNumber number;
        // Beyond the digits that any number has, it cannot be parsed.
        if (!parse(international(code, digitsOf(digits)), unknownRegion, number) || number.country_code() != code)
            return false;
        return util().IsPossibleNumberWithReason(number) == PhoneNumberUtil::TOO_LONG;
    });
}

long callrunner_phone_read(const char *text, const char *region, int32_t *code, char *buffer, size_t size) {
    return guarded(-1L, [&] {
        PhoneNumber number;
        if (!parse(std::string(text, strnlen(text, maximumText)), region, number)) return -1L;
        std::string digits;
        util().GetNationalSignificantNumber(number, &digits);
        *code = number.country_code();
        return write(digits, buffer, size);
    });
}

long callrunner_phone_format(const char *number, char *buffer, size_t size) {
    return guarded(-1L, [&] {
        PhoneNumber parsed;
        if (!parse(std::string(number, strnlen(number, maximumText)), unknownRegion, parsed)) return -1L;
        std::string text;
        util().Format(parsed, PhoneNumberUtil::INTERNATIONAL, &text);
        return write(text, buffer, size);
    });
}
