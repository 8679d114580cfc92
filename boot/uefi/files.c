/* Files on the volume the program was started from (UEFI 2.10 13.4, 13.5). The volume is looked up by its
 * device path each time: after a controller was given back it has a new handle, and a stick that was pulled
 * and put back has one too. */
#include "boot/uefi/uefi.h"

enum { FILE_SPARE_BLOCKS = 4 }; /* the file's last block, two new folders, a folder that grows */

/* Room for the file information of any name a FAT volume can have. */
struct file_info {
    EFI_FILE_INFO info;
    CHAR16 rest_of_name[UEFI_PATH_MAX];
};

static enum err file_error(EFI_STATUS status)
{
    switch (status) {
    case EFI_VOLUME_FULL:
        return ERR_NO_SPACE;
    case EFI_WRITE_PROTECTED:
    case EFI_ACCESS_DENIED:
        return ERR_READ_ONLY;
    default:
        return ERR_IO;
    }
}

/* The root folder of the boot volume. ERR_UNSUPPORTED when there never was one, ERR_IO when it is gone. */
static enum err file_open_root(const struct uefi *u, EFI_FILE_HANDLE *root)
{
    EFI_SIMPLE_FILE_SYSTEM_PROTOCOL *volume = NULL;
    EFI_HANDLE *handles;
    size_t count;

    if (!u->plat.info.has_files) {
        return ERR_UNSUPPORTED;
    }
    if (!u->boot_path_known) {
        volume = uefi_protocol(u, u->loaded->DeviceHandle, &uefi_guid_file_system);
    }
    count = uefi_handles(u, &uefi_guid_file_system, &handles);
    for (size_t i = 0; i < count && volume == NULL; i++) {
        const void *path = uefi_protocol(u, handles[i], &uefi_guid_device_path);
        if (devpath_equal(path, u->boot_path)) {
            volume = uefi_protocol(u, handles[i], &uefi_guid_file_system);
        }
    }
    uefi_free(u, handles);
    if (volume == NULL || EFI_ERROR(volume->OpenVolume(volume, root))) {
        return ERR_IO;
    }
    return OK;
}

/* Append 7-bit text, '/' as the separator UEFI wants. False when it does not fit. */
static bool path_append(CHAR16 *path, size_t *len, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*len + 1 >= UEFI_PATH_MAX) {
            return false;
        }
        path[(*len)++] = (CHAR16)(*text == '/' ? '\\' : *text);
    }
    path[*len] = 0;
    return true;
}

/* The folder of the program, from the path of its file: the text of the file path nodes, put together, up
 * to the last separator. Empty for the root. */
static bool path_of_program(const struct uefi *u, CHAR16 *path, size_t *len)
{
    const uint8_t *node = (const uint8_t *)u->loaded->FilePath;

    *len = 0;
    if (devpath_bytes(node) == 0) {
        node = NULL;
    }
    for (; node != NULL && (node[0] & 0x7f) == MEDIA_DEVICE_PATH && node[1] == MEDIA_FILEPATH_DP;
         node += get_le16(node + 2)) {
        size_t chars = (get_le16(node + 2) - 4u) / 2;
        if (*len > 0 && path[*len - 1] != '\\') {
            path[(*len)++] = '\\';
        }
        for (size_t i = 0; i < chars && get_le16(node + 4 + 2 * i) != 0; i++) {
            if (*len + 2 >= UEFI_PATH_MAX) {
                return false;
            }
            path[(*len)++] = get_le16(node + 4 + 2 * i);
        }
    }
    while (*len > 0 && path[*len - 1] != '\\') {
        (*len)--;
    }
    path[*len] = 0;
    return true;
}

/* Size of an open file; ERR_NOT_FOUND when it is a folder. */
static enum err file_size(EFI_FILE_HANDLE file, uint64_t *bytes)
{
    struct file_info data;
    EFI_GUID guid = uefi_guid_file_info;
    UINTN room = sizeof(data);

    if (EFI_ERROR(file->GetInfo(file, &guid, &room, &data))) {
        return ERR_IO;
    }
    if (data.info.Attribute & EFI_FILE_DIRECTORY) {
        return ERR_NOT_FOUND;
    }
    *bytes = data.info.FileSize;
    return OK;
}

static enum err file_read_all(EFI_FILE_HANDLE file, void *buf, size_t cap, size_t *bytes)
{
    uint64_t total = 0;
    enum err err = file_size(file, &total);

    if (err != OK) {
        return err;
    }
    if (total > cap) {
        return ERR_NO_SPACE;
    }
    for (uint64_t at = 0; at < total;) {
        UINTN part = total - at;
        if (EFI_ERROR(file->Read(file, &part, (uint8_t *)buf + at)) || part == 0 ||
            part > total - at) {
            return ERR_IO;
        }
        at += part;
    }
    *bytes = total;
    return OK;
}

static enum err uefi_file_read(struct platform *p, const char *name, void *buf, size_t cap,
                               size_t *bytes)
{
    const struct uefi *u = uefi_of(p);
    CHAR16 path[UEFI_PATH_MAX];
    size_t len = 0;
    EFI_FILE_HANDLE root = NULL, file = NULL;
    enum err err = file_open_root(u, &root);

    if (err != OK) {
        return err;
    }
    if (!path_of_program(u, path, &len) || !path_append(path, &len, name)) {
        root->Close(root);
        return ERR_NOT_FOUND;
    }
    EFI_STATUS status = root->Open(root, &file, path, EFI_FILE_MODE_READ, 0);
    if (EFI_ERROR(status)) {
        err = status == EFI_NOT_FOUND ? ERR_NOT_FOUND : ERR_IO;
    } else {
        err = file_read_all(file, buf, cap, bytes);
        file->Close(file);
    }
    root->Close(root);
    return err;
}

/* Make every folder in front of the last separator. */
static EFI_STATUS file_make_folders(EFI_FILE_HANDLE root, const CHAR16 *path)
{
    CHAR16 folder[UEFI_PATH_MAX];

    for (size_t i = 0; path[i] != 0; i++) {
        if (path[i] == '\\' && i > 0) {
            EFI_FILE_HANDLE made = NULL;
            folder[i] = 0;
            EFI_STATUS status =
                root->Open(root, &made, folder,
                           EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE,
                           EFI_FILE_DIRECTORY);
            if (EFI_ERROR(status)) {
                return status;
            }
            made->Close(made);
        }
        folder[i] = path[i];
    }
    return EFI_SUCCESS;
}

static void file_delete(EFI_FILE_HANDLE root, CHAR16 *path)
{
    EFI_FILE_HANDLE file = NULL;

    if (!EFI_ERROR(root->Open(root, &file, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0))) {
        file->Delete(file); /* closes it, too */
    }
}

static EFI_STATUS file_write_all(EFI_FILE_HANDLE root, CHAR16 *path, const void *data, size_t bytes)
{
    EFI_FILE_HANDLE file = NULL;
    EFI_STATUS status = root->Open(
        root, &file, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0);

    if (EFI_ERROR(status)) {
        return status;
    }
    for (size_t at = 0; at < bytes && !EFI_ERROR(status);) {
        UINTN part = bytes - at;
        status = file->Write(file, &part, (uint8_t *)(uintptr_t)data + at);
        if (!EFI_ERROR(status) && part == 0) {
            status = EFI_VOLUME_FULL;
        }
        at += part;
    }
    if (!EFI_ERROR(status)) {
        status = file->Flush(file);
    }
    EFI_STATUS closed = file->Close(file);
    return EFI_ERROR(status) ? status : closed;
}

/* Give the file at `path` another name in its folder. */
static EFI_STATUS file_rename(EFI_FILE_HANDLE root, CHAR16 *path, const CHAR16 *name)
{
    struct file_info data;
    EFI_GUID guid = uefi_guid_file_info;
    EFI_FILE_HANDLE file = NULL;
    UINTN room = sizeof(data);
    size_t chars = 0;
    EFI_STATUS status = root->Open(root, &file, path, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0);

    if (EFI_ERROR(status)) {
        return status;
    }
    status = file->GetInfo(file, &guid, &room, &data);
    if (!EFI_ERROR(status)) {
        CHAR16 *to = (CHAR16 *)((uint8_t *)&data + SIZE_OF_EFI_FILE_INFO);
        for (; name[chars] != 0; chars++) {
            to[chars] = name[chars];
        }
        to[chars] = 0;
        data.info.Size = SIZE_OF_EFI_FILE_INFO + (chars + 1) * sizeof(CHAR16);
        status = file->SetInfo(file, &guid, data.info.Size, &data);
    }
    if (!EFI_ERROR(status)) {
        status = file->Flush(file);
    }
    file->Close(file);
    return status;
}

/* Is there room for a file of so many bytes, its folders and a name? Asked first, because a firmware's FAT driver that
 * runs out of clusters in the middle can leave a folder entry that points to the root folder behind. */
static enum err file_room(EFI_FILE_HANDLE root, size_t bytes)
{
    struct {
        EFI_FILE_SYSTEM_INFO info;
        CHAR16 label[UEFI_PATH_MAX];
    } volume;
    EFI_GUID guid = uefi_guid_file_system_info;
    UINTN room = sizeof(volume);

    if (EFI_ERROR(root->GetInfo(root, &guid, &room, &volume)) || volume.info.BlockSize == 0) {
        return OK; /* it does not tell: try */
    }
    if (volume.info.ReadOnly) {
        return ERR_READ_ONLY;
    }
    uint64_t blocks = bytes / volume.info.BlockSize + FILE_SPARE_BLOCKS;
    return volume.info.FreeSpace / volume.info.BlockSize >= blocks ? OK : ERR_NO_SPACE;
}

static enum err file_replace(EFI_FILE_HANDLE root, CHAR16 *path, const void *data, size_t bytes)
{
    CHAR16 fresh[UEFI_PATH_MAX + 4]; /* ".new" */
    size_t len = 0;
    size_t name = 0;

    for (; path[len] != 0; len++) {
        fresh[len] = path[len];
        name = path[len] == '\\' ? len + 1 : name;
    }
    memcpy(&fresh[len], L".new", sizeof(L".new"));

    enum err err = file_room(root, bytes);
    if (err != OK) {
        return err;
    }
    EFI_STATUS status = file_make_folders(root, path);
    if (EFI_ERROR(status)) {
        /* iPXE's file system answers "not found" to whatever is to be created. */
        return status == EFI_NOT_FOUND ? ERR_READ_ONLY : file_error(status);
    }
    file_delete(root, fresh);
    status = file_write_all(root, fresh, data, bytes);
    if (EFI_ERROR(status)) {
        file_delete(root, fresh);
        return status == EFI_NOT_FOUND ? ERR_READ_ONLY : file_error(status);
    }
    /* From here the new content is safe in one of the two names; so it is not deleted any more. */
    file_delete(root, path);
    status = file_rename(root, fresh, &path[name]);
    return EFI_ERROR(status) ? file_error(status) : OK;
}

static enum err uefi_file_write(struct platform *p, const char *path, const void *data,
                                size_t bytes)
{
    CHAR16 wide[UEFI_PATH_MAX];
    size_t len = 0;
    EFI_FILE_HANDLE root = NULL;
    enum err err = file_open_root(uefi_of(p), &root);

    if (err != OK) {
        return err;
    }
    err = path_append(wide, &len, path) && len > 0 ? file_replace(root, wide, data, bytes)
                                                   : ERR_INVALID;
    root->Close(root);
    return err;
}

void uefi_files_init(struct uefi *u)
{
    struct platform *p = &u->plat;

    p->info.has_files = u->loaded != NULL &&
                        uefi_protocol(u, u->loaded->DeviceHandle, &uefi_guid_file_system) != NULL;
    p->file_read = uefi_file_read;
    p->file_write = uefi_file_write;
}
